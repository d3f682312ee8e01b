#if canImport(SwiftUI)
public import SwiftUI
public import ThumbturnCore

/// A button with the sensor's symbol and name, such as "Use Face ID", for a sign-in form of the app's own.
///
///     BiometricButton(readiness.sensor) { Task { try await auth.authenticate("Sign in to Acme") } }
///
/// It has the environment's button style, as every button.
public struct BiometricButton: View {
    private let sensor: SensorName?
    private let action: @MainActor () -> Void
    private var words = Words()

    /// Makes a button.
    ///
    /// - Parameters:
    ///   - sensor: the device's sensor, `Readiness.sensor`; nil for neutral words.
    ///   - action: asks the person.
    public init(_ sensor: SensorName?, action: @escaping @MainActor () -> Void) {
        self.sensor = sensor
        self.action = action
    }

    public var body: some View {
        Button(action: action) {
            Label {
                Text(verbatim: words(Rung.biometric.button.naming(sensor)))
            } icon: {
                Image(systemName: Symbols.name(of: sensor))
            }
        }
    }
}
#endif
