import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Platforms over one place, in one process and in several.
@Suite struct PlaceTests {
    @Test func platformsOfOneProcessOverOnePlaceAreOne() {
        let (phone, other) = (SimulatedPhone(), SimulatedPhone())
        let one = phone.platform()
        #expect(phone.platform().shared === one.shared)
        #expect(phone.platform(process: "extension").shared !== one.shared)
        #expect(other.platform().shared !== one.shared)
        phone.killApp()
        #expect(phone.platform().shared !== one.shared)
    }

    @Test func aFolderIsOnePlaceHoweverItIsNamed() throws {
        let folder = Built.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let roundabout = folder + "/../" + URL(fileURLWithPath: folder).lastPathComponent
        #expect(DevicePlace.folder(roundabout).name == DevicePlace.folder(folder).name)
        #expect(DevicePlace.folder(folder + "/in").name != DevicePlace.folder(folder).name)
    }

    /// Equal unlocks of two platforms share one prompt, as those of one platform do.
    @Test func twoPlatformsShowOnePrompt() async throws {
        let world = try World()
        try await world.clock.run {
            try await world.auth.enrol(with: World.signIn)
            let other = try Authenticator(server: InMemoryServer.url, platform: world.phone.platform(transport: world.server))
            let before = world.phone.promptCount
            world.phone.next(.match, after: .seconds(2))
            async let one = world.auth.authenticate("Unlock")
            async let two = other.authenticate("Unlock")
            _ = try await (one, two)
            #expect(world.phone.promptCount == before + 1)
        }
    }

    /// An extension that starts while the app enrols does not take its keys for leftovers of a crash.
    @Test(arguments: ["app", "extension"]) func aRunningEnrolmentIsLeftAlone(_ process: String) async throws {
        let world = try World()
        try await world.clock.run {
            world.phone.next(.match, after: .seconds(2))
            async let enrolled = world.auth.enrol(with: World.signIn)
            try await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
            let other = try Authenticator(
                server: InMemoryServer.url, platform: world.phone.platform(transport: world.server, process: process))
            await other.settle()
            let refused = await failure { try await other.enrol(with: World.signIn) }
            #expect(refused?.code == .superseded)
            _ = try await enrolled
            expect(try await world.auth.authenticate("Unlock").rung, is: .biometric)
        }
    }

    /// The lock of a killed process is free.
    @Test func aKilledEnrolmentIsUndoneByTheNextProcess() async throws {
        let world = try World()
        try await world.clock.run {
            world.phone.next(.ignore)
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await world.auth.enrol(with: World.signIn) }
                try? await world.clock.sleep(until: world.clock.now.advanced(by: .seconds(1)))
                #expect(world.phone.keyCount > 0)
                world.phone.killApp()
                let other = try? Authenticator(
                    server: InMemoryServer.url, platform: world.phone.platform(transport: world.server, process: "extension"))
                await other?.settle()
                #expect(world.phone.keyCount == 0)
                group.cancelAll()
            }
        }
    }
}
