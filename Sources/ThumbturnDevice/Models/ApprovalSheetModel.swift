public import Observation
public import ThumbturnCore

/// The sheet for one approval: it shows what the server sent, and asks for a proof of exactly that after a tap. Nothing
/// starts by itself.
@MainActor @Observable public final class ApprovalSheetModel {
    /// The stages of the sheet.
    public enum Stage: Hashable, Sendable {
        /// The person is reading.
        case shown
        /// The person is being asked for the proof.
        case asking
        /// The person approved.
        case approved
        /// The person declined, and the server is being told.
        case declining
        /// The person declined, and the server knows.
        case declined
        /// Approving or declining failed; the person may decline again, and approve where `canApprove`.
        case stopped(Failure)
    }

    /// The contents that are shown, and approved.
    public let details: ApprovalDetails
    /// The sheet's stage.
    public private(set) var stage = Stage.shown
    /// The message below the contents; nil where there is none.
    public private(set) var message: PersonMessage?

    private let sign: @Sendable (ApprovalDetails) async throws -> Void
    private let sensor: any Sensor
    private let tellDeclined: @Sendable () async throws -> Void

    /// Whether a tap on "approve" asks for the proof.
    public var canApprove: Bool {
        switch stage {
        case .shown: true
        case .stopped(let failure): failure.recovery == .retry
        case .asking, .approved, .declining, .declined: false
        }
    }

    /// Whether the person is being asked, or the server told: the sheet stays until that has ended.
    public var isBusy: Bool {
        switch stage {
        case .asking, .declining: true
        case .shown, .approved, .declined, .stopped: false
        }
    }

    /// Makes a sheet for these contents.
    ///
    /// - Parameters:
    ///   - details: the contents to approve.
    ///   - platform: the platform of the account or the vault that asks.
    ///   - sign: has the person prove the approval of the contents that it is given, and returns the success. It needs a
    ///     prompt of its own: an ask that began before the tap approves nothing, nor does one that another call has
    ///     joined, such as an app lock's, nor one that is reused, nor one that has approved another sheet. A lock or a
    ///     dismissal after the tap ends the sheet's question.
    ///   - decline: tells the server that the person declines.
    public convenience init<Success: UnlockSuccess>(
        _ details: ApprovalDetails, platform: DevicePlatform,
        sign: @escaping @Sendable (ApprovalDetails) async throws -> Success,
        decline: @escaping @Sendable () async throws -> Void
    ) {
        let prompts = platform.prompts
        self.init(signing: details, platform.sensor, decline: decline) { details in
            let tap = prompts.tick()
            let answered = try await sign(details).answered
            try answered.checkOpensLocks()
            let counts = await answered.act.counts(for: .samePerson)
            guard counts, answered.prompts === prompts, tap < answered.tick, !answered.isShared,
                // The person who tapped has not left since.
                prompts.isLive(tap, of: answered.asker), prompts.spend(answered.tick)
            else { throw Failure(.cancelledByApp) }
        }
    }

    /// Makes the sheet for an approval that was fetched: what it shows is what is signed.
    public convenience init(
        _ approval: Approval, for auth: Authenticator, in language: MessageLanguage, liveness: (any LivenessCheck)? = nil
    ) {
        let decline = { @Sendable () async throws in try await auth.decline(approval) }
        self.init(signing: approval.details(in: language), auth.platform.sensor, decline: decline) { _ in
            let signed = try await auth.approve(approval, in: language, liveness: liveness)
            // The server's word, not the end of the call, says that the approval has this account's signatures.
            guard signed.isSigned, signed.txn == approval.txn else { throw Failure(.unexpectedAnswer) }
        }
    }

    private init(
        signing details: ApprovalDetails, _ sensor: any Sensor, decline: @escaping @Sendable () async throws -> Void,
        sign: @escaping @Sendable (ApprovalDetails) async throws -> Void
    ) {
        self.details = details
        self.sensor = sensor
        self.sign = sign
        tellDeclined = decline
    }

    /// Asks for the proof, after a tap on "approve". A second tap changes nothing.
    public func approve() async {
        guard canApprove else { return }
        stage = .asking
        message = nil
        do {
            try await sign(details)
            stage = .approved
        } catch {
            let failure = Failure(thrownByApp: error)
            stage = .stopped(failure)
            message = failure.message.naming(await sensor.name())
        }
    }

    /// Declines, after a tap on "decline": the server is told, and the approval ends for every account that was asked.
    /// Where the server cannot be told, the sheet says so and the person may tap again. A prompt that is up already goes
    /// on.
    public func decline() async {
        switch stage {
        case .asking, .approved, .declining, .declined: return
        case .shown, .stopped: stage = .declining
        }
        message = nil
        do {
            try await tellDeclined()
            stage = .declined
        } catch {
            let failure = Failure(thrownByApp: error)
            stage = .stopped(failure)
            message = failure.message.naming(await sensor.name())
        }
    }
}

extension ApprovalDetails.Line: CustomStringConvertible {
    /// The label, without the value, which may name people.
    public var description: String { label }
}

extension ApprovalSheetModel.Stage: CustomStringConvertible {
    /// The stage in words.
    public var description: String {
        switch self {
        case .shown: "shown"
        case .asking: "asking"
        case .approved: "approved"
        case .declining: "declining"
        case .declined: "declined"
        case .stopped(let failure): "stopped: \(failure.code)"
        }
    }
}
