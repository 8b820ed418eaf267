//! Lists of playing tables in a sentence.

/// Returns `table 5`, or `tables 1-3, 7`. The numbers are in order.
pub(super) fn named(tables: &[u16]) -> String {
    let mut ranges: Vec<(u16, u16)> = Vec::new();
    for table in tables {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*table) => *last = *table,
            _ => ranges.push((*table, *table)),
        }
    }
    let range = |(first, last): &(u16, u16)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}-{last}"),
    };
    let list: Vec<String> = ranges.iter().map(range).collect();
    format!("{} {}", if tables.len() == 1 { "table" } else { "tables" }, list.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_a_range() {
        let all: Vec<u16> = (1..=300).collect();
        assert_eq!((named(&all), named(&[5])), ("tables 1-300".to_owned(), "table 5".to_owned()));
        assert_eq!(named(&[1, 2, 4, 6, 7, 8, 65_535]), "tables 1, 2, 4, 6-8, 65535");
    }
}
