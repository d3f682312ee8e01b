#if Tools
import ArgumentParser
import ThumbturnServer

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes a copy of the database to a file. Servers may keep running.",
        discussion: "The copy does not contain the master key, without which it cannot be used. Keep the key elsewhere."
    )

    @OptionGroup var data: DataOptions

    @Argument(help: "The path of the new file.")
    var file: String

    func run() async throws {
        let server = try await data.server()
        try await server.backUp(to: file)
        print("The backup of \(try data.place()) is in \(file).")
    }
}

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replaces the database by a backup and begins a new epoch.",
        discussion: """
            The backup does not know which challenges and tokens were used after it was made, so all users must sign in again \
            and open approvals end. What was changed since the backup is as it was before: devices that were revoked are enrolled, \
            keys that were replaced are enrolled again, wrong PINs are no longer counted, disabled accounts are on, former \
            passwords are accepted, and accounts that got one-time codes have none. Back ends that were removed are \
            registered with their former keys, limits and right to Bearer tokens. So stop the servers first, do all of this \
            again before you start them: accounts end, disable, password, totp and group, clients remove and change, evidence \
            roots remove and status update. A new key \
            signs access tokens. A server that runs all the same refuses its next request, reads the new secrets, and continues. \
            The machine needs memory for the whole backup. If the backup is from days of a wrong clock and its time is still to come, \
            the server's time is set to the clock's. On a new machine make the data folder first, with mode 0700, and put \
            master.key into it or set THUMBTURN_MASTER_KEY.
            """
    )

    @OptionGroup var data: DataOptions
    @OptionGroup var confirmation: Confirmation

    @Option(help: "A file with the master key that the backup was made under, if the key was changed since.")
    var backupKey: String?

    @Argument(help: "A file that `thumbturn-server backup` has written.")
    var file: String

    func run() async throws {
        let key = try backupKey.map { try MasterKey(backupFile: $0) }
        try confirmation.ask(
            "All of \(try data.place()) is replaced by \(file), and a new epoch begins: all users must sign in again.")
        let time = try await EmbeddedServer.restore(
            from: file, into: try data.settings(publicURL: DataOptions.noURL), backupKey: key)
        print("\(file) is restored, and a new epoch has begun: all users must sign in again.")
        switch time {
        case .kept: break
        case .set(let wrong, let clock):
            print(
                """
                The backup's time was \(Time.Show.text(wrong)), which is ahead of the clock. The server's time is set to the \
                clock's, \(Time.Show.text(clock)), and the keys of access tokens are replaced.
                """)
        case .ahead(let seen):
            print(
                """
                The backup's time is \(Time.Show.text(seen)). The clock is behind it, and behind the database that was \
                replaced. Set the machine's clock right. If the two still differ, run: thumbturn-server time set
                """)
        }
    }
}

struct NewEpoch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Begins a new epoch, so that all users must sign in again.",
        discussion: """
            Needed after the whole machine was reset to an earlier state, for example by a snapshot of its disk, and after a \
            PostgreSQL was restored to a point in time under --replication synchronous. The server \
            itself notices at its next start that the database was replaced by an older one or the data folder was copied. \
            A new key signs access tokens. Running servers refuse their next request, read the new secrets, and continue.
            """
    )

    @OptionGroup var data: DataOptions
    @OptionGroup var confirmation: Confirmation

    func run() async throws {
        try confirmation.ask("A new epoch begins: all users must sign in again, and recovery codes and open approvals end.")
        let server = try await data.server(for: .beginning)
        try await server.beginEpoch()
        print("A new epoch has begun: all users must sign in again.")
    }
}
#endif
