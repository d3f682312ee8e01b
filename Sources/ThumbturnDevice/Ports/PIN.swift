public import ThumbturnCore

/// A PIN as it was entered: 6 to 32 ASCII digits. It prints as its type's name and has no equality, so it reaches no
/// log and is never compared: only a key can tell whether it is right.
///
/// The digits are freed with the last copy and not overwritten: Swift copies them where it needs to, so the memory of the app may
/// have them for some time, as it has what a platform's key stretches them to.
public struct PIN: Sendable, Redacted {
    /// The digits as ASCII.
    package let digits: [UInt8]

    /// How many digits a PIN may have.
    static let lengths = 6...32

    /// Reads a PIN; nil for fewer than 6 or more than 32 digits, and for any character that is not an ASCII digit.
    public init?(_ digits: String) {
        let bytes = Array(digits.utf8)
        guard Self.lengths.contains(bytes.count), bytes.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
            return nil
        }
        self.digits = bytes
    }

    /// Whether an attacker would try it first. NIST SP 800-63B-4 section 3.2.10 demands that such a PIN is refused when
    /// it is chosen; entering one is never refused for it.
    public var isEasilyGuessed: Bool { hasOneStep || repeatsItself || Self.frequentChoices.contains(digits) }

    /// Whether the step from each digit to the next is the same, with 0 after 9: 000000, 123456, 654321, 890123,
    /// 024680.
    private var hasOneStep: Bool {
        let steps = zip(digits, digits.dropFirst()).map { (Int($1) - Int($0) + 10) % 10 }
        return steps.allSatisfy { $0 == steps[0] }
    }

    /// Whether a part of at most half its length is repeated: 121212, 123123, 4714714.
    private var repeatsItself: Bool {
        (1...digits.count / 2).contains { period in
            zip(digits, digits.dropFirst(period)).allSatisfy { $0 == $1 }
        }
    }

    /// Frequent choices that no rule above finds: doubled and mirrored runs, and lines on the keypad. From the most
    /// frequent six-digit PINs of Markert et al., "This PIN Can Be Easily Guessed" (2020), and similar ones.
    private static let frequentChoices = Set(
        [
            "112233", "223344", "332211", "123321", "321123", "456654", "111222", "000111", "789456", "456789123", "123789",
            "159753", "159357", "147258", "258147", "147852", "258369", "147369", "741852", "963852", "142536", "102030",
            "010203", "112358", "314159", "100200", "520131", "147258369", "11223344", "12344321",
        ].map { Array($0.utf8) }
    )
}
