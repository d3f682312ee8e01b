import Foundation
import Thumbturn

/// A bank's app without its screens. Make one for the app. On a phone:
///
///     let bank = try Bank(
///         server: URL(string: "https://id.example.com")!, api: URL(string: "https://api.example.com")!,
///         platform: .apple(pinEntry: pinScreen), passwordScreen: PasswordScreen())
@MainActor public final class Bank {
    /// The lock, with the contents of its screen: the sensor, and by buttons the passcode, the PIN and the password. In
    /// SwiftUI: `.task { await bank.lock.run() }`.
    public let lock: AppLockModel
    /// The switch for biometrics in the settings.
    public let biometrics: BiometricsToggleModel

    private let auth: Authenticator
    private let api: URL
    private let passwordScreen: any PrimarySignIn

    /// Connects the app's core with the phone and the bank.
    ///
    /// - Parameters:
    ///   - server: the server that signs people in.
    ///   - api: the origin of the bank's own API.
    ///   - platform: the phone.
    ///   - passwordScreen: asks for the name and the password, each time anew.
    public init(
        server: URL, api: URL, platform: DevicePlatform, passwordScreen: some PrimarySignIn
    ) throws(Failure) {
        let auth = try Authenticator(server: server, resources: [api], platform: platform, signIn: passwordScreen)
        (self.auth, self.api, self.passwordScreen) = (auth, api, passwordScreen)
        lock = AppLockModel(for: auth, reason: "Open the bank", rules: .init(lockAfter: .seconds(30)))
        biometrics = BiometricsToggleModel(for: auth) { try await auth.replaceBiometricKey(with: passwordScreen) }
    }

    // MARK: The first start

    /// Completes or undoes a change that was interrupted. Call it at each start, before the lock runs.
    ///
    /// - Returns: whether this phone is set up. If not, the app shows its welcome, whose button is `signIn()`.
    public func start() async -> Bool {
        await auth.settle()
        return await auth.readiness().isEnrolled
    }

    /// Signs the person in with their password, and opens the lock where it is running.
    public func signIn() async throws(Failure) {
        lock.unlocked(by: try await auth.signIn(with: passwordScreen))
    }

    /// What the app explains after the first sign-in; nil where this phone is set up. The buttons are
    /// `BiometricOffer.buttons`.
    public func explanation() async -> PersonMessage? {
        let readiness = await auth.readiness()
        return readiness.isEnrolled ? nil : BiometricOffer.text.naming(readiness.sensor)
    }

    /// Takes the answer to the explanation. "Set up" makes the keys, within five minutes of the sign-in and without another
    /// password.
    public func answer(_ answer: BiometricOffer.Answer) async throws(Failure) {
        try await auth.answerBiometricOffer(answer)
        if answer == .setUp { try await auth.addBiometrics() }
    }

    // MARK: Payments

    /// Pays at the bank's own API. The person proves presence for this amount.
    ///
    /// - Returns: the status of the API's answer.
    public func pay(_ amount: Money, to name: String) async throws(Failure) -> Int {
        let request = TransportRequest(
            method: "POST", url: api.appending(path: "payments").absoluteString,
            headers: ["Content-Type": "application/json"],
            body: Array(#"{"amount":\#(amount.minor),"currency":"\#(amount.currency)"}"#.utf8))
        let answer = try await auth.send(request, doing: .newRecipient, amount: amount, reason: "Pay \(amount) to \(name)")
        return answer.status
    }

    /// Asks the person to show the card's number; within two minutes it is not asked for twice.
    public func unlockCard() async throws(Failure) -> DeviceSession {
        try await auth.stepUp(for: .cardDetails, reason: "Show the card's number").session
    }

    /// The sheet of a payment that the bank asks to approve, for example after a push message with its id.
    public func sheet(ofApproval id: String) async throws(Failure) -> ApprovalSheetModel {
        ApprovalSheetModel(try await auth.approval(id), for: auth, in: .english)
    }

    // MARK: Devices and the end

    /// The devices of the account, the oldest first.
    public func devices() async throws(Failure) -> [EnrolledDevice] { try await auth.devices() }

    /// Removes a lost phone, or another device.
    public func remove(_ device: EnrolledDevice) async throws(Failure) {
        try await auth.remove(device, reason: "Remove \(device.name)")
    }

    /// Ends the session, which locks the app too.
    ///
    /// - Parameter forgetDevice: whether the keys of this phone end as well, so that the next start is a first one.
    public func signOut(forgetDevice: Bool) async throws(Failure) {
        try await auth.signOut(forgetDevice: forgetDevice)
    }
}
