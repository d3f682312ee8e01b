import Foundation
import Observation
import Thumbturn

/// The app's core: the account on this phone, and the models of its screens.
@MainActor @Observable final class Bank {
    /// What the app shows.
    enum Stage { case starting, welcome, account }

    private(set) var stage = Stage.starting
    /// Whether this phone has keys of the account. Without them each unlock is a full sign-in.
    private(set) var isEnrolled = false
    /// The payments that wait for the person.
    private(set) var approvals: [Approval] = []
    /// The name of the account; nil until the server said it.
    private(set) var name: String?
    /// Why something was not done.
    private(set) var problem: String?
    /// What only the person can do, after a button of the lock screen was pressed.
    var recovery: Recovery?

    let auth: Authenticator
    let pinScreen: PINEntryModel
    /// The sheet for name and password; nil where the bank has a provider.
    let passwords: PasswordScreen?
    let biometrics: BiometricsToggleModel
    let devices: DeviceListModel
    let balance: UnlockScreen
    @ObservationIgnored private(set) lazy var lock = AppLockModel(
        for: auth, reason: "Open the bank", rules: .init(lockAfter: .seconds(30)),
        whenLocked: { [weak self] in self?.forget() }, recover: { [weak self] in self?.recovery = $0 })
    @ObservationIgnored private(set) lazy var offer = BiometricOfferModel(
        for: auth, setUp: { [weak self] in try await self?.setUp() }, recover: { [weak self] in self?.recovery = $0 })

    private let signIn: any PrimarySignIn

    /// Makes the app's core.
    ///
    /// - Parameters:
    ///   - server: the server that signs people in.
    ///   - platform: the phone, whose PIN screen is `pinScreen`.
    ///   - signIn: the full sign-in; nil for name and password.
    init(
        server: URL, platform: DevicePlatform, pinScreen: PINEntryModel, signIn: (any PrimarySignIn)? = nil
    ) throws(Failure) {
        let passwords = signIn == nil ? PasswordScreen() : nil
        let fullSignIn: any PrimarySignIn = signIn ?? passwords ?? PasswordScreen()
        // The session ends with the lock: the app does nothing in the background.
        let auth = try Authenticator(server: server, platform: platform, sessions: .untilLock, signIn: fullSignIn)
        (self.auth, self.pinScreen, self.passwords, self.signIn) = (auth, pinScreen, passwords, fullSignIn)
        biometrics = BiometricsToggleModel(for: auth) { try await auth.replaceBiometricKey(with: fullSignIn) }
        devices = DeviceListModel(for: auth) { "Remove \($0.name)" }
        // The device passcode opens the app, and not the balance: other people may know it.
        balance = UnlockScreen(for: auth, reason: "Show the balance", policy: .sensitiveScreen)
    }

    /// Completes or undoes what was interrupted, and looks whether this phone is set up.
    func start() async {
        await auth.settle()
        isEnrolled = await auth.readiness().isEnrolled
        stage = isEnrolled ? .account : .welcome
    }

    /// Leaves the welcome. The lock then asks for the full sign-in, as it does whenever nothing else opens it.
    func begin() { (stage, problem) = (.account, nil) }

    /// Reads what the first screen shows, once the lock is open.
    func refresh() async {
        isEnrolled = await auth.readiness().isEnrolled
        guard !lock.isLocked else { return }
        await offer.refresh()
        await trying {
            name = try await auth.me().name
            approvals = isEnrolled ? try await auth.approvals() : []
        }
    }

    /// Makes what the offer is for. Just after the first sign-in that needs no other one.
    private func setUp() async throws {
        if isEnrolled {
            try await auth.replaceBiometricKey(with: signIn)
        } else {
            try await auth.addBiometrics()
        }
        await refresh()
    }

    /// Makes the keys of this phone, after the full sign-in.
    func enrol() async {
        await trying { try await auth.enrol(with: signIn) }
        await refresh()
    }

    func changePIN() async { await trying { try await auth.changePIN() } }

    /// Ends the session, which locks the app.
    ///
    /// - Parameter forgetDevice: whether the keys of this phone end too, so that the next start is a first one.
    func signOut(forgetDevice: Bool) async {
        // What is here ends in any case; only the server may not have heard of it.
        await trying { try await auth.signOut(forgetDevice: forgetDevice) }
        if forgetDevice { await start() }
    }

    private func forget() {
        (approvals, name) = ([], nil)
        devices.forget()
    }

    /// Does something, and says what failed. A cancellation is the person's own.
    private func trying(_ work: () async throws -> Void) async {
        do {
            problem = nil
            try await work()
        } catch {
            let failure = error as? Failure ?? Failure(.platform)
            if failure.code != .cancelledByUser { problem = failure.message.text(in: .english) }
        }
    }
}
