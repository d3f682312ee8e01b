#if Tools
import ThumbturnCore
import ThumbturnServer
import ThumbturnVerifier

/// What the operator's commands change. No rule forbids one.
extension WalkRules {
    static func carryOut(_ command: Command, _ sent: Prepared, in world: inout World, _ server: WalkServer) throws {
        switch command {
        case .backUp: world.backup = World.Backup(try server.store.image(), world)
        case .restore:
            guard let backup = world.backup else { return }
            var restored = backup.world
            // What was ever sent is known for ever, and the next keys are other ones.
            restored.elapsed = world.elapsed
            restored.backup = world.backup
            (restored.tickets, restored.sessions, restored.held) = (world.tickets, world.sessions, world.held)
            restored.visits = world.visits
            (restored.tokenKeys, restored.revokedTokenKeys) = (world.tokenKeys, world.revokedTokenKeys)
            (restored.editions, restored.kids) = (world.editions, world.kids)
            (restored.accepted, restored.consumed, restored.rotations) = (world.accepted, world.consumed, world.rotations)
            restored.epoch = world.epoch
            world = restored
            beginEpoch(in: &world)
        case .newEpoch: beginEpoch(in: &world)
        case .rotateTokenKey: world.rotations += 1
        case .revokeTokenKey:
            if let leaked = sent.leaked { world.revokedTokenKeys[leaked.kid] = leaked }
        case .disable:
            world.people[.ada]?.isOff = true
            world.people[.ada]?.generation += 1
            world.people[.ada]?.signaturesOver = world.elapsed
            world.endSessions { [phones = world.phones] in phones[$0.phone]?.person == .ada }
        case .enable: world.people[.ada]?.isOff = false
        case .endDevices:
            world.people[.ada]?.generation += 1
            for (phone, state) in world.phones where state.person == .ada { world.phones[phone]?.revokedAt = world.elapsed }
        case .setPassword:
            world.people[.ada]?.passwords += 1
            world.people[.ada]?.generation += 1
            world.endSessions { [phones = world.phones] in phones[$0.phone]?.person == .ada }
        }
    }

    private static func beginEpoch(in world: inout World) {
        world.epoch += 1
        world.endSessions { _ in true }
        for index in world.approvals.indices where world.approvals[index].end == nil { world.approvals[index].end = .expired }
    }
}
#endif
