import Foundation
import TestSupport
import Testing
import Synchronization
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnTestKit

/// A new password for the account, set from an enrolled device.
@Suite struct PasswordTests {
    private static let newPassword = "a new horse battery staple"

    @Test func thePersonProvesPresenceAndNeedsNoFormerPassword() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            let prompts = world.phone.promptCount
            try await world.auth.changePassword(to: Self.newPassword, reason: "Change your password")
            #expect(world.server.state.withLock { $0.changedPassword } == Self.newPassword)
            #expect(world.phone.promptCount == prompts + 1)
            let claims = try #require(world.server.state.withLock { $0.redeemed.last?.claims })
            #expect(claims.purpose == .stepUp && claims.act == "change-password")
        }
    }

    @Test func eachChangeNeedsAProofOfItsOwn() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            let prompts = world.phone.promptCount
            for _ in 1...2 { try await world.auth.changePassword(to: Self.newPassword, reason: "Change your password") }
            #expect(world.phone.promptCount == prompts + 2)
        }
    }

    @Test func aPasswordThatTheServerDoesNotTakeShowsNoPrompt() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            let prompts = world.phone.promptCount
            await expectFailure(.unexpectedAnswer) {
                try await world.auth.changePassword(to: "short", reason: "Change your password")
            }
            await expectFailure(.reasonMissing) { try await world.auth.changePassword(to: Self.newPassword, reason: " ") }
            #expect(world.phone.promptCount == prompts)
        }
    }

    @Test func aPersonWhoCancelsKeepsThePassword() async throws {
        try await World.enrolled { world in
            _ = try await world.auth.authenticate("Unlock")
            world.phone.next(.cancel)
            await expectFailure(.cancelledByUser) {
                try await world.auth.changePassword(to: Self.newPassword, reason: "Change your password")
            }
            #expect(world.server.state.withLock { $0.changedPassword } == nil)
        }
    }
}
