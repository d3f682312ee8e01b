public import Observation
public import ThumbturnCore

/// What a server wants approved, as it is to be shown: every line, in its order, letter by letter.
public struct ApprovalDetails: Hashable, Sendable {
    /// One line of the sheet.
    public struct Line: Hashable, Sendable {
        /// For example "Amount".
        public let label: String
        /// For example "€1,250.00".
        public let value: String

        /// A line.
        public init(label: String, value: String) {
            self.label = label
            self.value = value
        }
    }

    /// For example "Payment".
    public let title: String
    /// What is agreed to, line by line.
    public let lines: [Line]
    /// What is said beside it; nil for most.
    public let caution: PersonMessage?

    /// Nil where something could not be shown as it is: no title or no line, an empty text, or control and format characters, which
    /// turn or hide what stands beside them.
    public init?(title: String, lines: [Line], caution: PersonMessage? = nil) {
        let texts = [title] + lines.flatMap { [$0.label, $0.value] }
        guard !lines.isEmpty, texts.allSatisfy({ ShownText.isShownAsItIs($0) }) else { return nil }
        self.title = title
        self.lines = lines
        self.caution = caution
    }
}

/// The sheet for one approval: shows what the server sent, and asks for a proof of exactly that after a tap. Nothing starts by itself.
@MainActor @Observable public final class ApprovalSheetModel {
    /// Where the sheet stands.
    public enum Stage: Hashable, Sendable {
        /// The person reads.
        case shown
        /// The person is being asked.
        case asking
        /// The approval was proven and sent.
        case approved
        /// The person declined.
        case declined
        /// It did not work; the person may tap again where `canApprove`.
        case stopped(Failure)
    }

    /// What is shown, and approved.
    public let details: ApprovalDetails
    /// Where the sheet stands.
    public private(set) var stage = Stage.shown
    /// What is said below; nil where there is nothing to say.
    public private(set) var message: PersonMessage?

    private let sign: @Sendable (ApprovalDetails) async throws -> Void

    /// Whether a tap would ask.
    public var canApprove: Bool {
        switch stage {
        case .shown: true
        case .stopped(let failure): failure.recovery == .retry
        case .asking, .approved, .declined: false
        }
    }

    /// A sheet for these details.
    ///
    /// - Parameters:
    ///   - details: what is to be approved.
    ///   - sign: has the person prove the approval of what it is given, with a prompt of its own: no unlock stands in for it.
    public init(_ details: ApprovalDetails, sign: @escaping @Sendable (ApprovalDetails) async throws -> Void) {
        self.details = details
        self.sign = sign
    }

    /// The sheet for an approval that was fetched: what it shows is what is signed.
    public convenience init(
        _ approval: Approval, for auth: Authenticator, in language: MessageLanguage, liveness: (any LivenessCheck)? = nil
    ) {
        self.init(approval.details(in: language)) { _ in
            try await auth.approve(approval, in: language, liveness: liveness)
        }
    }

    /// The person taps "approve". A second tap changes nothing.
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
            message = failure.message
        }
    }

    /// The person does not want it. What is being asked already goes on.
    public func decline() {
        guard stage != .asking, stage != .approved else { return }
        stage = .declined
        message = nil
    }
}
