//! Decodes a line of numbers with damaged bytes: which numbers can still be read, and to which place each belongs.

/// Returns the numbers of a line that should hold `expected` of them, `None` for each that cannot be read. Returns `None` for the
/// whole line if the numbers cannot be assigned to places. `is_truncated`: the line may be truncated.
///
/// A word with a byte that is not a digit is a number with a damaged digit, or two numbers with a damaged space between them. If
/// the count of numbers allows both, the numbers before the first such word and after the last one are still in their places.
pub(super) fn read(line: &[u8], expected: usize, is_truncated: bool) -> Option<Vec<Option<u8>>> {
    let words: Vec<Word> = words(line);
    let (least, most) = words.iter().fold((0, 0), |(least, most), word| (least + word.least, most + word.most));
    let mut numbers = vec![None; expected];
    let is_sure = |word: &Word| word.least == word.most;
    if least == expected || most == expected {
        let count = |word: &Word| if least == expected { word.least } else { word.most };
        place(words.iter(), count, &mut numbers.iter_mut());
    } else if (least..=most).contains(&expected) {
        place(words.iter().take_while(|word| is_sure(word)), |word| word.least, &mut numbers.iter_mut());
        place(words.iter().rev().take_while(|word| is_sure(word)), |word| word.least, &mut numbers.iter_mut().rev());
    } else if is_truncated && most < expected {
        // The last word may be truncated, too.
        let known = words.len().saturating_sub(1);
        place(words.iter().take(known).take_while(|word| is_sure(word)), |word| word.least, &mut numbers.iter_mut());
    } else {
        return None;
    }
    Some(numbers)
}

/// The bytes between two spaces.
struct Word {
    /// The number, if it can be read.
    number: Option<u8>,
    /// Minimum and maximum count of numbers that it may stand for.
    least: usize,
    most: usize,
}

/// Puts the numbers of each word in their places.
fn place<'a, 'b>(
    words: impl Iterator<Item = &'a Word>,
    count: impl Fn(&Word) -> usize,
    places: &mut impl Iterator<Item = &'b mut Option<u8>>,
) {
    for word in words {
        for place in places.by_ref().take(count(word)) {
            *place = word.number;
        }
    }
}

fn words(line: &[u8]) -> Vec<Word> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let mut words: Vec<Word> = Vec::new();
    let mut spaces = 0;
    for part in line.trim_ascii().split(is_space) {
        spaces += 1;
        if part.is_empty() {
            continue;
        }
        // Exactly one space separates two numbers; further ones are damaged digits.
        if spaces == 2
            && let Some(last) = words.last_mut()
        {
            last.number = None;
        }
        words.extend((2..spaces).map(|_| Word { number: None, least: 1, most: 1 }));
        let word = Word::of(part);
        words.push(if spaces == 2 { Word { number: None, ..word } } else { word });
        spaces = 0;
    }
    words
}

impl Word {
    fn of(part: &[u8]) -> Word {
        let digits = part.iter().all(u8::is_ascii_digit);
        let number = std::str::from_utf8(part).ok().filter(|_| digits && (part == b"0" || !part.starts_with(b"0")));
        if let Some(number) = number.and_then(|number| number.parse().ok()) {
            return Word { number: Some(number), least: 1, most: 1 };
        }
        let (least, most) = counts(part).unwrap_or((1, part.len().max(1)));
        Word { number: None, least, most }
    }
}

/// Returns the minimum and maximum count of numbers that a damaged word may stand for, given which characters are possible at each
/// position; `None` if no count is possible.
fn counts(part: &[u8]) -> Option<(usize, usize)> {
    let digits = part.iter().all(u8::is_ascii_digit);
    // One entry for each prefix of the word that can end where a number ends.
    let mut ends: Vec<Option<(usize, usize)>> = vec![None; part.len() + 1];
    for end in 1..=part.len() {
        for len in 1..=end.min(3) {
            let begin = end - len;
            // A digit in place of a space looks like any other digit.
            let before = match begin.checked_sub(1) {
                None => Some((0, 0)),
                Some(space) if digits || !part[space].is_ascii_digit() => ends[space],
                Some(_) => None,
            };
            let Some((least, most)) = before.filter(|_| may_be_number(&part[begin..end])) else { continue };
            let (least, most) = (least + 1, most + 1);
            ends[end] = Some(ends[end].map_or((least, most), |known| (known.0.min(least), known.1.max(most))));
        }
    }
    ends[part.len()]
}

/// Whether this may have been a number from 0 to 255 before some of its bytes were damaged.
fn may_be_number(part: &[u8]) -> bool {
    match part {
        [_] => true,
        [first, ..] if *first == b'0' => false,
        [b'3'..=b'9', _, _] | [b'2', b'6'..=b'9', _] | [b'2', b'5', b'6'..=b'9'] => false,
        _ => true,
    }
}
