/// Deviations from DER and X.509 that are accepted where real devices need them, and nowhere else.
///
/// None of them lets the same bytes be read in two ways.
package struct DERLeniency: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// DER and X.509 as they are.
    package static let none: DERLeniency = []

    /// The algorithm of an ECDSA signature has the parameter NULL, where RFC 5758 section 3.2 demands that it is absent.
    ///
    /// The StrongBox of the Pixel 3 to 5 signs its certificates so: 7 of 9 public samples.
    package static let algorithmNull = DERLeniency(rawValue: 1 << 0)

    /// A BOOLEAN that is true is written as 01, where X.690 section 11.1 demands FF.
    ///
    /// Some StrongBox certificates of the same phones do so: 2 of 9 public samples.
    package static let booleanOne = DERLeniency(rawValue: 1 << 1)

    /// The members of a SET OF, and the tags of an authorization list, come in any order, where X.690 section 11.6 and X.680
    /// section 8.6 demand an ascending one. None of them may come twice.
    ///
    /// The lists are written by the firmware of many makers. Google's own verifier only logs that a list is not in order.
    package static let unordered = DERLeniency(rawValue: 1 << 2)

    /// basicConstraints and keyUsage that cannot be read are taken as the least that they can say: no authority, no use.
    ///
    /// Some certificates of real devices have extensions that no strict parser reads. Android's path asks neither of them.
    package static let unreadableExtensions = DERLeniency(rawValue: 1 << 3)
}
