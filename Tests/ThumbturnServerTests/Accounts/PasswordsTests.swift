#if Tools
import Foundation
import Synchronization
import TestSupport
import Testing
@testable import ThumbturnServer

@Suite struct PasswordsTests {
    @Test func hashesAreArgon2idWithTheParametersOfOWASP() async throws {
        let passwords = try Passwords()
        let hash = try await passwords.hash("correct horse battery staple")
        #expect(hash.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
        #expect(try await passwords.verify("correct horse battery staple", against: hash))
        #expect(try await passwords.verify("correct horse battery stable", against: hash) == false)
        #expect(try await passwords.verify("no account has this password", against: nil) == false)
        let composed = try await passwords.hash("pässword pässword")
        #expect(
            try await passwords.verify("pa\u{308}ssword pa\u{308}ssword", against: composed), "one spelling for each password")
    }

    @Test func aHashThatFitsNoPasswordLooksLikeAnyOther() async throws {
        for cost in [Passwords.Cost.full, .least] {
            let passwords = try Passwords(cost: cost)
            let (real, none) = (try await passwords.hash("correct horse battery staple"), passwords.unfittingHash())
            let (parts, others) = (real.split(separator: "$"), none.split(separator: "$"))
            #expect(parts.map(\.count) == others.map(\.count) && parts.prefix(3) == others.prefix(3))
            #expect(none != passwords.unfittingHash())
            #expect(try await passwords.verify("correct horse battery staple", against: none) == false)
        }
    }

    @Test func aFullQueueRefusesWork() async throws {
        let passwords = try Passwords(queueLimit: 2)
        let outcomes = await withTaskGroup { group in
            for _ in 0..<12 {
                group.addTask {
                    do {
                        _ = try await passwords.verify("x", against: nil)
                        return "done"
                    } catch is Passwords.QueueFull {
                        return "full"
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes["done", default: 0] >= 2 && outcomes["full", default: 0] >= 1)
        #expect(outcomes["done", default: 0] + outcomes["full", default: 0] == 12)
    }

    @Test func aQuarterOfTheQueueIsKeptForEnrolledDevices() async throws {
        let passwords = try Passwords(queueLimit: 4, cost: .least)
        passwords.places.withLock { $0.taken = 3 }
        await #expect(throws: Passwords.QueueFull.self) { try await passwords.verify("x", against: nil, isStranger: true) }
        #expect(try await passwords.verify("x", against: nil, isStranger: false) == false)
        passwords.places.withLock { $0.taken = 4 }
        await #expect(throws: Passwords.QueueFull.self) { try await passwords.verify("x", against: nil, isStranger: false) }
    }

    @Test func oneSenderHoldsOnlyItsOwnShareOfTheQueue() async throws {
        let passwords = try Passwords(queueLimit: 64, senderLimit: 4, cost: .least)
        let (one, other) = (ThrottleID.address(1), ThrottleID.address(2))
        /// Whether a password is compared for the sender; nil if the queue is full for all.
        func has(_ sender: ThrottleID, isStranger: Bool = true) async throws -> Bool? {
            do {
                return try await !passwords.verify("x", against: nil, for: sender, isStranger: isStranger)
            } catch let full as Passwords.QueueFull {
                return full.isOfSender ? false : nil
            }
        }
        passwords.places.withLock { $0 = .init(taken: 3, bySender: [one: 3]) }
        expect(try await has(one), is: false)
        expect(try await has(one, isStranger: false), is: true, "a quarter of its places is kept for enrolled devices")
        expect(try await has(other), is: true, "another sender has places of its own")
        passwords.places.withLock { $0 = .init(taken: 4, bySender: [one: 4]) }
        expect(try await has(one, isStranger: false), is: false)
        await #expect(throws: Passwords.QueueFull.self) { try await passwords.hash("x", for: one) }
        #expect(try await passwords.hash("x").hasPrefix("$argon2id$"), "the operator's command is not counted")
        passwords.places.withLock { $0 = .init(taken: 64, bySender: [one: 4]) }
        expect(try await has(one) == nil, is: true)
        #expect(passwords.places.withLock { $0.bySender } == [one: 4], "what was refused took no place")
        passwords.places.withLock { $0 = .init(taken: 2, bySender: [one: 2]) }
        expect(try await has(one), is: true)
        expect(try await has(other), is: true)
        #expect(passwords.places.withLock { $0.bySender } == [one: 2], "a sender without a place is forgotten")
        #expect(passwords.places.withLock { $0.taken } == 2)
    }

    @Test func accountsNeedANameAndALongPassword() async throws {
        let folder = LiveServer.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await EmbeddedServer(try ServerSettings(publicURL: "http://localhost", dataFolder: folder))
        for (name, password) in [
            ("", "correct horse battery"), ("a\nb", "correct horse battery"), ("ada", "fourteen chars"),
            ("ada", String(repeating: "x", count: 1025)),
        ] {
            await #expect(throws: SetupError.self) { try await server.addAccount(named: name, password: password) }
        }
        try await server.addAccount(named: "ada", password: "fifteen letters")
        await #expect(throws: SetupError.self) { try await server.addAccount(named: "ada", password: "fifteen letters") }
    }
}
#endif
