/// By what an event is counted: the kind of device, the versions, the policy. Each is absent where it is not known.
///
/// As JSON, with nothing that names a person or one device:
///
///     {"system": "iOS", "model": "iPhone17,3", "os": "26.1", "app": "4.2.0", "sensor": "faceID", "policy": "unlock", "arm": "b"}
public struct TelemetryContext: Hashable, Sendable {
    /// The system, such as `iOS`, `macOS` or `Linux`.
    public var system: TelemetryLabel?
    /// The model of the device, as its maker's identifier: `iPhone17,3`.
    public var model: TelemetryLabel?
    /// The version of the system.
    public var systemVersion: TelemetryLabel?
    /// The version of the app.
    public var appVersion: TelemetryLabel?
    /// The device's sensor.
    public var sensor: SensorName?
    /// The name of the unlock's policy; see `UnlockPolicy.name`.
    public var policy: TelemetryLabel?
    /// The arm of an experiment.
    public var arm: TelemetryLabel?

    /// Makes a context.
    public init(
        system: TelemetryLabel? = nil, model: TelemetryLabel? = nil, systemVersion: TelemetryLabel? = nil,
        appVersion: TelemetryLabel? = nil, sensor: SensorName? = nil, policy: TelemetryLabel? = nil, arm: TelemetryLabel? = nil
    ) {
        self.system = system
        self.model = model
        self.systemVersion = systemVersion
        self.appVersion = appVersion
        self.sensor = sensor
        self.policy = policy
        self.arm = arm
    }
}

extension TelemetryContext: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case system, model
        case systemVersion = "os"
        case appVersion = "app"
        case sensor, policy, arm
    }

    /// Reads a context. Throws `DecodingError` for an unknown member, and for a text that is no label.
    public init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func label(_ key: CodingKeys) throws -> TelemetryLabel? { try values.decodeIfPresent(TelemetryLabel.self, forKey: key) }
        self.init(
            system: try label(.system), model: try label(.model), systemVersion: try label(.systemVersion),
            appVersion: try label(.appVersion), sensor: try values.decodeIfPresent(SensorName.self, forKey: .sensor),
            policy: try label(.policy), arm: try label(.arm))
    }
}

extension TelemetryContext: CustomStringConvertible {
    /// For example `iOS 26.1 on iPhone17,3, app 4.2.0, faceID, policy unlock, arm b`.
    public var description: String {
        let device = [system, systemVersion].compactMap { $0?.text } + (model.map { ["on", $0.text] } ?? [])
        let rest = [
            appVersion.map { "app \($0)" }, sensor?.rawValue, policy.map { "policy \($0)" }, arm.map { "arm \($0)" },
        ]
        return ([device.joined(separator: " ")] + rest.compactMap(\.self)).filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
