import Testing
import ThumbturnCore
public import ThumbturnDevice

/// What every implementation of the port `SecretStore` has to do.
public enum SecretStoreConformance {
    /// - Parameter stores: values of one empty store, as several processes have them. Each step uses the next one.
    public static func secretsLive(in stores: [any SecretStore]) async throws {
        var turn = 0
        func store() -> any SecretStore {
            turn += 1
            return stores[turn % stores.count]
        }
        func holds(_ bytes: [UInt8]?, sourceLocation: SourceLocation = #_sourceLocation) async throws {
            expect(try await store().read("x/../a"), is: bytes, sourceLocation: sourceLocation)
        }
        func replace(
            _ old: [UInt8]?, _ new: [UInt8]?, is expected: Bool, sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let replaced = try await store().replace(old, by: new, as: "x/../a")
            #expect(replaced == expected, sourceLocation: sourceLocation)
        }

        try await holds(nil)
        try await store().delete("x/../a")
        try await store().write([1], as: "x/../a")
        try await holds([1])
        try await store().write([], as: "x/../a")
        try await holds([])
        try await store().delete("x/../a")
        try await store().write([9], as: "x/../b")

        // No secret is different from an empty one.
        try await replace([], [1], is: false)
        try await replace([1], nil, is: false)
        try await holds(nil)
        try await replace(nil, nil, is: true)
        try await replace(nil, [], is: true)
        try await holds([])
        try await replace(nil, [1], is: false)
        try await replace(nil, nil, is: false)
        try await holds([])
        try await replace([], [1, 2], is: true)
        // Nor is a part of it the secret.
        for other in [[], [1], [1, 2, 3], [2, 1], nil] as [[UInt8]?] {
            try await replace(other, [7], is: false)
            try await replace(other, nil, is: false)
        }
        try await holds([1, 2])
        try await replace([1, 2], [1, 2], is: true)
        try await holds([1, 2])
        // Bytes that were there once are not there any more.
        try await replace([1, 2], [3], is: true)
        try await replace([1, 2], [4], is: false)
        try await store().write([5], as: "x/../a")
        try await replace([3], [4], is: false)
        try await replace([5], nil, is: true)
        try await holds(nil)
        try await replace([5], nil, is: false)
        try await replace(nil, [6], is: true)
        try await holds([6])
        try await store().delete("x/../a")
        try await replace([6], [7], is: false)
        try await holds(nil)
        expect(try await store().read("x/../b"), is: [9], "a secret has its own name")
    }

    /// Of writers that expect the same bytes one succeeds.
    ///
    /// - Parameter stores: values of one empty store, as several processes have them. Writers take turns with them.
    public static func oneOfManyWritersWins(in stores: [any SecretStore]) async throws {
        var kept: [UInt8]?
        for round in UInt8(1)...4 {
            let old = kept
            let winners = try await withThrowingTaskGroup(of: (writer: UInt8, won: Bool).self) { group in
                for writer in UInt8(0)..<50 {
                    let store = stores[Int(writer) % stores.count]
                    group.addTask { (writer, try await store.replace(old, by: [round, writer], as: "raced")) }
                }
                var winners: [UInt8] = []
                for try await (writer, won) in group where won { winners.append(writer) }
                return winners
            }
            let winner = try #require(winners.first)
            #expect(winners.count == 1, "round \(round)")
            kept = [round, winner]
            expect(try await stores[0].read("raced"), is: kept)
        }
    }

    /// What many writers change by reading, adding and replacing is complete.
    ///
    /// - Parameter stores: values of one empty store, as several processes have them. Writers take turns with them.
    public static func noChangeIsLost(in stores: [any SecretStore]) async throws {
        let all = UInt8(0)..<20
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in all {
                let store = stores[Int(writer) % stores.count]
                group.addTask {
                    while true {
                        let old = try await store.read("counted")
                        if try await store.replace(old, by: (old ?? []) + [writer], as: "counted") { return }
                    }
                }
            }
            try await group.waitForAll()
        }
        let kept = try await stores[0].read("counted")
        #expect(kept?.sorted() == Array(all))
    }
}
