public import ThumbturnCore

/// `POST /v1/approvals/{id}/challenge`, with a DPoP proof by the session key: asks for the challenge of an approval.
public struct ApprovalChallengeRequest: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case kids }

    /// The keys that may answer, 1 to 4.
    public let kids: [String]

    /// A request for a challenge.
    public init(kids: [String]) {
        self.kids = kids
    }
}
