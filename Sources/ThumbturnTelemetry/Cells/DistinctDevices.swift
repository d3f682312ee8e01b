#if Server
/// How many distinct devices there are, in at most 2 KiB and without a list of them.
///
/// It keeps the 256 smallest of the hashes it was given (Bar-Yossef and others, "Counting Distinct Elements in a Data Stream",
/// 2002, section 2.1: k minimum values). Up to 255 devices the answer is exact, as far as no two of them have the same 64 bits;
/// above that its standard error is 6.3 % (Beyer and others, "On Synopses for Distinct-Value Estimation", 2007, section 3.2).
/// Adding and uniting in any order give the same value.
///
/// A hash is of the name that a device has for one day, with a key of that day. So devices of two days can never be united or
/// recognised: for several days `TelemetryReport` takes the day with the most devices, which is a lower bound, and not the sum.
package struct DistinctDevices: Hashable, Sendable {
    /// The smallest hashes, ascending.
    private var smallest: [UInt64] = []

    /// The most hashes that are kept.
    package static let capacity = 256

    /// No device.
    package init() {}

    /// Counts a device.
    ///
    /// - Parameter hash: 64 evenly distributed bits, the same for the same device on one day: part of a keyed hash.
    package mutating func add(_ hash: UInt64) {
        if smallest.count == Self.capacity, hash >= smallest[Self.capacity - 1] { return }
        let place = smallest.firstIndexAscending { $0 >= hash }
        if place < smallest.count, smallest[place] == hash { return }
        if smallest.count == Self.capacity { smallest.removeLast() }
        smallest.insert(hash, at: place)
    }

    /// Counts the devices of another sketch of the same day, too.
    package mutating func merge(_ other: DistinctDevices) {
        guard !smallest.isEmpty else { return self = other }
        for hash in other.smallest { add(hash) }
    }

    /// About how many distinct devices there are.
    package var estimate: Int {
        guard smallest.count == Self.capacity, let largest = smallest.last else { return smallest.count }
        // The 256th smallest of n evenly distributed fractions is at about 256/n. One less in the numerator makes it unbiased.
        let fraction = (Double(largest) + 1) / 0x1p64
        let estimate = (Double(Self.capacity - 1) / fraction).rounded()
        // Hashes that are not evenly distributed must not overflow here.
        return Int(min(max(estimate, Double(Self.capacity)), 1e15))
    }

    // MARK: Storage

    /// A form to store: a version, the count, and the hashes in ascending order.
    package var bytes: [UInt8] {
        var writer = CompactWriter()
        writer.put(Self.version)
        writer.put(smallest.count)
        for hash in smallest { writer.putWhole(hash) }
        return writer.bytes
    }

    /// Reads the stored form. Throws `DamagedBytes` for anything else.
    package init(bytes: [UInt8]) throws {
        var reader = CompactReader(bytes)
        let version = try reader.number()
        guard version == Self.version else {
            throw DamagedBytes("expected version \(Self.version) of a sketch, found \(version)")
        }
        for _ in 0..<(try reader.count(upTo: Self.capacity)) {
            let hash = try reader.whole()
            if let last = smallest.last, hash <= last {
                throw DamagedBytes("expected ascending hashes, found \(hash) after \(last)")
            }
            smallest.append(hash)
        }
        try reader.finish()
    }

    private static let version: UInt64 = 1
}

extension DistinctDevices: CustomStringConvertible {
    /// For example `about 1200 devices`.
    package var description: String { "\(smallest.count < Self.capacity ? "" : "about ")\(estimate) devices" }
}

extension [UInt64] {
    /// The first index whose element is so, where all elements behind it are so, too.
    fileprivate func firstIndexAscending(where isSo: (UInt64) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isSo(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
#endif
