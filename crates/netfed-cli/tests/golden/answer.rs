//! The answers of one case: texts as they are kept, each line of which knows its command.

/// A file that is kept.
pub(crate) struct Answer {
    /// Its path below the folder of the case, with slashes.
    pub(crate) name: String,
    pub(crate) text: String,
    /// From which line on (counted from 0) which command is the one that wrote it.
    from: Vec<(usize, usize)>,
}

/// What the commands of a case said and wrote.
pub(crate) struct Answers {
    /// The name of the case.
    pub(crate) case: &'static str,
    /// The commands, as a user would type them.
    pub(crate) commands: Vec<String>,
    pub(crate) files: Vec<Answer>,
}

impl Answer {
    /// A file that one command has written.
    pub(crate) fn of(name: &str, text: String, command: usize) -> Answer {
        Answer { name: name.to_owned(), text, from: vec![(0, command)] }
    }

    /// A file put together of what several commands have to say.
    pub(crate) fn empty(name: &str) -> Answer {
        Answer { name: name.to_owned(), text: String::new(), from: Vec::new() }
    }

    /// Adds lines of a command.
    pub(crate) fn add(&mut self, text: &str, command: usize) {
        self.from.push((self.text.lines().count(), command));
        self.text.push_str(text);
    }

    /// The command behind a line; the last one behind the lines after the end.
    pub(crate) fn command(&self, line: usize) -> usize {
        let before = self.from.iter().rev().find(|(first, _)| *first <= line);
        before.map_or(0, |(_, command)| *command)
    }
}

/// A hash that has not changed since 1991: FNV-1a, 64 bits.
pub(crate) fn fnv(bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    bytes.iter().fold(start, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[test]
fn the_hash_is_that_of_its_authors() {
    assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
}

#[test]
fn a_line_knows_its_command() {
    let mut answer = Answer::empty("said.txt");
    answer.add("one\ntwo\n", 0);
    answer.add("three\n", 1);
    assert_eq!([0, 1, 2, 9].map(|line| answer.command(line)), [0, 0, 1, 1]);
}
