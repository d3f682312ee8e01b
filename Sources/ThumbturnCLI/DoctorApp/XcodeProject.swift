#if Tools
import Foundation

/// The apps of an Xcode project, with the build settings of each configuration: a table of objects by their identifiers, in
/// which the targets and the configurations refer to each other.
struct XcodeProject {
    /// One configuration of a target that is an app.
    struct Configuration {
        var target: String
        var name: String
        var settings: BuildSettings
        /// Whether settings may be in an .xcconfig file, which is not read.
        var isBasedOnFile: Bool
    }

    private let objects: [String: PropertyList]
    private let root: String

    /// - Returns: nil for bytes that are no project.
    init?(_ bytes: [UInt8]) {
        guard let table = PropertyList.table(of: bytes), let objects = table["objects"]?.table,
            let root = table["rootObject"]?.text
        else { return nil }
        self.objects = objects
        self.root = root
    }

    func configurations() -> [Configuration] {
        let project = objects[root]?.table ?? [:]
        let common = Dictionary(lists(of: project).map { ($0.name, $0) }) { first, _ in first }
        var found: [Configuration] = []
        for target in (project["targets"]?.texts ?? []).compactMap({ objects[$0]?.table }) {
            guard let type = target["productType"]?.text, type.hasPrefix("com.apple.product-type.application") else { continue }
            for own in lists(of: target) {
                let shared = common[own.name]
                var settings = (shared?.settings ?? [:]).merging(own.settings) { $1 }
                let name = target["name"]?.text ?? "app"
                settings["TARGET_NAME"] = .text(name)
                found.append(
                    Configuration(
                        target: name, name: own.name, settings: BuildSettings(settings),
                        isBasedOnFile: own.isBasedOnFile || shared?.isBasedOnFile == true))
                if found.count == AppFileLimits.subjects { return found }
            }
        }
        return found
    }

    /// The configurations of a target or of the project, in the order of the file.
    private func lists(
        of owner: [String: PropertyList]
    ) -> [(name: String, settings: [String: PropertyList], isBasedOnFile: Bool)] {
        let list = owner["buildConfigurationList"]?.text.flatMap { objects[$0]?.table }
        return (list?["buildConfigurations"]?.texts ?? []).prefix(AppFileLimits.subjects).compactMap { id in
            guard let object = objects[id]?.table, let name = object["name"]?.text else { return nil }
            return (name, object["buildSettings"]?.table ?? [:], object["baseConfigurationReference"] != nil)
        }
    }
}

/// Build settings, with the references to other settings replaced.
struct BuildSettings {
    private let values: [String: PropertyList]

    init(_ values: [String: PropertyList] = [:]) {
        var all = values
        // A setting for one system, such as `NAME[sdk=iphoneos*]`, stands in for one without a condition.
        for key in values.keys.sorted() {
            guard let bracket = key.firstIndex(of: "["), all[String(key[..<bracket])] == nil else { continue }
            all[String(key[..<bracket])] = values[key]
        }
        self.values = all
    }

    subscript(_ name: String) -> String? {
        guard let value = values[name] else { return nil }
        return resolve(value.text ?? value.texts.joined(separator: " "))
    }

    func isTrue(_ name: String) -> Bool { self[name].map { PropertyList.text($0).isTrue } ?? false }

    /// The text with `$(NAME)` and `${NAME}` replaced by the settings. A reference to a setting that is not here, or to a
    /// long one, stays.
    func resolve(_ text: String) -> String {
        var text = text
        for _ in 0..<AppFileLimits.references {
            guard text.utf8.count <= AppFileLimits.setting else { break }
            let replaced = text.replacing(/\$[({]([A-Za-z0-9_]+)(?::[A-Za-z0-9_]+)?[)}]/) { match in
                let value = values[String(match.1)].map { $0.text ?? $0.texts.joined(separator: " ") }
                guard let value, value.utf8.count <= AppFileLimits.setting else { return match.0 }
                return Substring(value)
            }
            guard replaced != text else { break }
            text = replaced
        }
        return text
    }
}
#endif
