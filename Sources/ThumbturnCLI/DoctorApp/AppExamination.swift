#if Tools
import Foundation

/// Checks an app by its path: a built app, an archive, or a folder with sources.
struct AppExamination {
    var path: String
    /// The address to which the app's provider sends the browser back; nil for an app without one.
    var redirect: URL?

    func findings() -> [AppFinding] {
        let subjects: [AppSubject]
        switch (Folder.pathExtension(of: path), Folder.exists(path)) {
        case ("ipa", _):
            return [
                AppFinding(
                    "files", .trouble, "\(name.quoted) is packed.",
                    remedy: "Unpack it with unzip, and give the path of the folder Payload/NAME.app.")
            ]
        case (_, false):
            return [
                AppFinding(
                    "files", .trouble, "There is no folder at \(path.quoted).",
                    remedy: "Give the path of an .app, an .xcarchive, an .xcodeproj, or of a folder with an app's sources.")
            ]
        case ("app", _): subjects = [AppBundle(path).subject()]
        case ("xcarchive", _):
            let folder = path + "/Products/Applications"
            subjects = Folder.names(in: folder).filter { $0.hasSuffix(".app") }.prefix(AppFileLimits.subjects)
                .map { AppBundle("\(folder)/\($0)").subject() }
        case ("xcodeproj", _):
            let url = URL(fileURLWithPath: path)
            subjects = AppSources(url.deletingLastPathComponent().path).subjects(of: url.lastPathComponent + "/project.pbxproj")
        default: subjects = AppSources(path).subjects()
        }
        guard !subjects.isEmpty else {
            return [
                AppFinding(
                    "files", .trouble, "There is no app in \(path.quoted).",
                    remedy: "Give the path of an .app, or of a folder with an Xcode project or an app's Info.plist.")
            ]
        }
        return findings(of: subjects)
    }

    private var name: String { URL(fileURLWithPath: path).lastPathComponent }

    /// Names the app, and then what was found. What holds for some of several apps alone names them.
    private func findings(of subjects: [AppSubject]) -> [AppFinding] {
        var found: [(finding: AppFinding, names: [String])] = []
        for subject in subjects {
            for finding in AppChecks(subject: subject, redirect: redirect).findings() {
                if let index = found.firstIndex(where: { $0.finding == finding }) {
                    found[index].names.append(subject.name)
                } else {
                    found.append((finding, [subject.name]))
                }
            }
        }
        let list = subjects.prefix(8).map(\.name).map(\.quoted).joined(separator: ", ")
        let more = subjects.count > 8 ? " and \(subjects.count - 8) more" : ""
        return [AppFinding("app", .good, "Examined \(list)\(more).")]
            + found.map { finding, names in
                var finding = finding
                if names.count < subjects.count {
                    finding.part += " (\(names.prefix(8).map(\.printable).joined(separator: "; ")))"
                }
                return finding
            }
    }
}
#endif
