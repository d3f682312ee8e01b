import Testing
import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

@Suite struct KeyDescriptionTests {
    static let good = MintedKeyDescription(challenge: [1, 2, 3], app: AndroidCase.app)

    func read(
        _ leniency: DERLeniency = .none, _ edit: (inout MintedKeyDescription) -> Void = { _ in }
    ) throws -> KeyDescription {
        var description = Self.good
        edit(&description)
        return try KeyDescription(der: description.der, leniency)
    }

    @Test func everyFieldIsRead() throws {
        let description = try read {
            $0.uniqueID = [7]
            $0.setLevel(2)
        }
        #expect(description.version == 400 && description.keyMintVersion == 400)
        #expect(description.attestationLevel == .strongBox && description.keyMintLevel == .strongBox)
        #expect(description.challenge == [1, 2, 3] && description.uniqueID == [7])
        let hardware = description.hardwareEnforced
        #expect(description.enforced == hardware)
        #expect(hardware.tags == [1, 2, 3, 5, 10, 504, 702, 704, 705, 706, 718, 719])
        #expect(hardware.purposes == [2] && hardware.algorithm == 3 && hardware.keySize == 256 && hardware.digests == [4])
        #expect(hardware.ecCurve == 1 && hardware.userAuthType == 2 && hardware.authTimeout == nil && hardware.origin == 0)
        #expect(hardware.osVersion == 160_000 && hardware.osPatchLevel == AndroidPatchLevel(year: 2026, month: 7))
        let root = try #require(hardware.rootOfTrust)
        #expect(root.verifiedBootKey == [UInt8](repeating: 7, count: 32) && root.isDeviceLocked && root.state == .verified)
        #expect(root.verifiedBootHash == [UInt8](repeating: 8, count: 32))
        #expect(description.softwareEnforced.tags == [701, 709])
        let app = try #require(description.softwareEnforced.application)
        #expect(app.packages.map(\.name) == ["com.example.bank"] && app.packages.map(\.version) == [1])
        #expect(app.signingDigests == [[UInt8](repeating: 1, count: 32)])
    }

    @Test func oldVersionsHaveNoBootHash() throws {
        let root = try read { $0.hardwareEnforced[704] = .rootOfTrust(hash: nil) }.hardwareEnforced.rootOfTrust
        #expect(root?.verifiedBootHash == nil && root?.state == .verified)
    }

    @Test func unknownTagsOfAnyNumberAreCountedAndNotRead() throws {
        for tag: UInt in [0, 30, 31, 127, 128, 725, 16_383, 16_384, 2_097_151, 100_000_000] {
            let description = try read(.unordered) { $0.hardwareEnforced[tag] = .integers([1]) }
            #expect(description.hardwareEnforced.tags.contains(tag))
        }
    }

    @Test("a leniency is only for what it names")
    func leniency() throws {
        let disorders: [(inout MintedKeyDescription) -> Void] = [
            { $0.hardwareEnforced.members.reverse() }, { $0.hardwareEnforced[1] = .integers([3, 2]) },
        ]
        for edit in disorders {
            #expect(evidenceRefusal { _ = try read(.none, edit) } == .malformed)
            #expect(evidenceRefusal { _ = try read([.algorithmNull, .booleanOne], edit) } == .malformed)
            #expect(evidenceRefusal { _ = try read(.unordered, edit) } == nil)
        }
        let one: (inout MintedKeyDescription) -> Void = { $0.hardwareEnforced[704] = .rootOfTrust(isLockedAsOne: true) }
        #expect(evidenceRefusal { _ = try read([.algorithmNull, .unordered], one) } == .malformed)
        #expect(try read(.booleanOne, one).hardwareEnforced.rootOfTrust?.isDeviceLocked == true)
    }

    @Test("another form is refused, also where real devices are given some latitude")
    func malformed() {
        func value(_ der: [UInt8], _ tag: UInt) -> (inout MintedKeyDescription) -> Void {
            { $0.hardwareEnforced[tag] = MintedAuthorization(der: der) }
        }
        let edits: [(inout MintedKeyDescription) -> Void] = [
            { $0.attestationLevel = -1 }, { $0.keyMintLevel = 3 },
            // Two values under one explicit tag, and none.
            value(MintedDER.integer(2) + MintedDER.integer(2), 504), value([], 504),
            // Other types than their own.
            value(MintedDER.enumerated(2), 504), value(MintedDER.null, 702), value(MintedDER.sequence([]), 1),
            value(MintedDER.integer(content: [0, 2]), 504), value(MintedDER.integer(content: []), 504),
            value(MintedDER.integer(content: [1] + [UInt8](repeating: 0, count: 8)), 505),
            value(MintedDER.set([MintedDER.octets([2])]), 1),
            // A root of trust with too few and too many members, and with 02 for TRUE.
            value(MintedDER.sequence([MintedDER.octets([7]), MintedDER.boolean(true)]), 704),
            value(
                MintedDER.sequence([
                    MintedDER.octets([7]), MintedDER.boolean(true), MintedDER.enumerated(0), MintedDER.octets([8]),
                    MintedDER.null,
                ]), 704),
            value(MintedDER.sequence([MintedDER.octets([7]), MintedDER.value(1, [2]), MintedDER.enumerated(0)]), 704),
            // Applications: no DER inside, another list, a name that is not UTF-8.
            { $0.softwareEnforced[709] = MintedAuthorization(der: MintedDER.octets([0x30])) },
            { $0.softwareEnforced[709] = MintedAuthorization(der: MintedDER.octets(MintedDER.sequence([MintedDER.set([])]))) },
            {
                let info = MintedDER.sequence([MintedDER.octets([0xFF]), MintedDER.integer(1)])
                let id = MintedDER.sequence([MintedDER.set([info]), MintedDER.set([])])
                $0.softwareEnforced[709] = MintedAuthorization(der: MintedDER.octets(id))
            },
            // A tag twice, with two values and with one.
            { $0.hardwareEnforced.members.append((504, .integer(3))) },
            { $0.softwareEnforced.members += [(9999, .null), (9999, .null)] },
        ]
        for (number, edit) in edits.enumerated() {
            #expect(evidenceRefusal { _ = try read([.booleanOne, .unordered], edit) } == .malformed, "edit \(number)")
        }
    }

    @Test func nothingFollowsAndNothingIsMissing() {
        let der = Self.good.der
        #expect(evidenceRefusal { _ = try KeyDescription(der: der + [0]) } == .malformed)
        #expect(evidenceRefusal { _ = try KeyDescription(der: []) } == .malformed)
        let members = [MintedDER.integer(400), MintedDER.enumerated(1), MintedDER.integer(400), MintedDER.enumerated(1)]
        #expect(evidenceRefusal { _ = try KeyDescription(der: MintedDER.sequence(members)) } == .malformed)
        for length in der.indices {
            #expect(evidenceRefusal { _ = try KeyDescription(der: Array(der[..<length])) } == .malformed)
        }
    }

    @Test(
        "a patch level is a year and a month",
        arguments: [(202_607, 2026, 7), (20_260_731, 2026, 7), (200_001, 2000, 1), (999_912, 9999, 12)])
    func patchLevels(number: Int, year: Int, month: Int) throws {
        let level = try read { $0.hardwareEnforced[706] = .integer(number) }.hardwareEnforced.osPatchLevel
        #expect(level == AndroidPatchLevel(year: year, month: month))
    }

    @Test(
        "what is no year and month is no level",
        arguments: [0, -202_607, 202_600, 202_613, 199_912, 2026, 2_026_071, 1_000_001_00, .max])
    func noPatchLevels(number: Int) throws {
        #expect(try read { $0.hardwareEnforced[706] = .integer(number) }.hardwareEnforced.osPatchLevel == nil)
    }

    @Test func patchLevelsAreCompared() throws {
        let levels = [(2025, 12), (2026, 1), (2026, 2), (2027, 1)].map { AndroidPatchLevel(year: $0.0, month: $0.1)! }
        #expect(
            levels == levels.reversed().sorted() && levels.map(\.description) == ["2025-12", "2026-01", "2026-02", "2027-01"])
        #expect(AndroidPatchLevel(year: 2026, month: 13) == nil && AndroidPatchLevel(year: 1999, month: 1) == nil)
    }
}
