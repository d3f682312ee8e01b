import Foundation
import ThumbturnCore

/// The system's mark of the enrolled faces and fingers, stored since the person was last confirmed.
extension Authenticator {
    /// How the system's mark differs from the stored one.
    func enrolmentChange() async -> EnrolmentMark.Change {
        let bytes = (try? await platform.secrets.read(markName)) ?? nil
        let stored = bytes.flatMap { try? JSONDecoder().decode(EnrolmentMark.self, from: Data($0)) }
        return EnrolmentMark.change(from: stored, to: await platform.sensor.enrolmentMark())
    }

    /// Stores the mark, because the person was confirmed: what is enrolled now is theirs. Where the system gives no
    /// mark, the old one stays.
    func keepEnrolmentMark() async {
        guard let mark = await platform.sensor.enrolmentMark() else { return }
        // Where this cannot be written the person is asked to confirm once more.
        try? await platform.secrets.write(StoredRecord.encode(mark), as: markName)
    }

    private var markName: String {
        let any = name(of: .session, in: 0)
        return "enrolment mark \(any.server) \(any.account)"
    }
}
