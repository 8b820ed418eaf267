//! Files that are no pairings, told by their first bytes.

/// A file of another sort, which people load by mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherFile {
    /// A page saved from a web site.
    WebPage,
    /// A spreadsheet of LibreOffice.
    LibreOffice,
    /// A workbook of Excel, or another packed file.
    Excel,
    /// A workbook of an old Excel.
    OldExcel,
    /// A PDF document.
    Pdf,
    /// A tournament file of Swiss-Manager.
    SwissManager,
}

/// The bytes of these files at some offset.
const SIGNATURES: &[(usize, &[u8], OtherFile)] = &[
    (30, b"mimetypeapplication/vnd.oasis.opendocument", OtherFile::LibreOffice),
    (0, b"PK\x03\x04", OtherFile::Excel),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OtherFile::OldExcel),
    (0, b"%PDF", OtherFile::Pdf),
    (0, b"\x93\xff\x89\x44", OtherFile::SwissManager),
];

impl OtherFile {
    /// Returns what these bytes are, if they are known not to be text.
    pub(super) fn of(bytes: &[u8]) -> Option<OtherFile> {
        let is_that = |(offset, expected, _): &&(usize, &[u8], OtherFile)| {
            bytes.get(*offset..).is_some_and(|bytes| bytes.starts_with(expected))
        };
        SIGNATURES.iter().find(is_that).map(|(.., file)| *file)
    }

    /// Returns what it is, in English.
    pub(super) fn name(self) -> &'static str {
        match self {
            OtherFile::WebPage => "a web page",
            OtherFile::LibreOffice => "a LibreOffice spreadsheet (.ods)",
            OtherFile::Excel => "an Excel workbook (.xlsx) or another packed file",
            OtherFile::OldExcel => "an old Excel workbook (.xls)",
            OtherFile::Pdf => "a PDF document",
            OtherFile::SwissManager => "a tournament file of Swiss-Manager",
        }
    }

    /// Returns whether a spreadsheet program can save it as a table of values.
    pub(super) fn is_spreadsheet(self) -> bool {
        matches!(self, OtherFile::LibreOffice | OtherFile::Excel | OtherFile::OldExcel)
    }

    /// Returns what to do instead, in English.
    pub(super) fn advice(self) -> &'static str {
        if self.is_spreadsheet() {
            "open it in Excel or LibreOffice, save the sheet of the pairings as \"CSV UTF-8\", and give that file"
        } else {
            "export the pairings from the pairing program as CSV, PGN or TRF16, and give that file"
        }
    }
}
