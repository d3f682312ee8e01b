#if Server
import ThumbturnCore
import ThumbturnMessages

extension AuthorizationServer {
    /// `GET /v1/notices`: the notices of the caller's account.
    func notices(_ caller: Caller) async throws -> NoticeList {
        NoticeList(notices: try await store.notices(of: caller.session.account).map(\.record))
    }
}
#endif
