import ThumbturnCore

extension Failure {
    /// The failure to show for an error that a closure of the app threw.
    ///
    /// A cancelled task is a cancel by the app. An error of another library has no next step that we know: it keeps its
    /// domain and code for bug reports.
    init(thrownByApp error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case is CancellationError: self.init(.cancelledByApp)
        default:
            // What `NSError` has as its domain and code; on Android there is none.
            self.init(.platform, status: PlatformStatus(domain: error._domain, code: error._code))
        }
    }
}
