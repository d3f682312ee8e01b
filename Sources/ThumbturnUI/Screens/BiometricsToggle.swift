#if canImport(SwiftUI)
public import SwiftUI
import ThumbturnCore
public import ThumbturnDevice

/// The switch for biometrics, a row of the app's settings. It has the sensor's name, and says why it cannot be switched on.
///
///     Form { BiometricsToggle(toggle) }
///
/// Its position is read from the key when it appears and when the app comes back, so it never shows what is not so.
public struct BiometricsToggle: View {
    private let model: BiometricsToggleModel
    private var words = Words()
    @Environment(\.scenePhase) private var phase

    /// Makes the switch of a model.
    public init(_ model: BiometricsToggleModel) { self.model = model }

    public var body: some View {
        Toggle(
            isOn: Binding {
                model.isOn
            } set: { isOn in
                Work.begin { await model.set(isOn) }
            }
        ) {
            Label {
                VStack(alignment: .leading, spacing: 4) {
                    Text(verbatim: words(model.name))
                    if let message = words(model.message) {
                        Text(verbatim: message).font(.footnote).foregroundStyle(.secondary)
                    }
                }
            } icon: {
                Image(systemName: Symbols.name(of: model.sensor))
            }
        }
        .disabled(model.isBusy || model.state == .unavailable)
        .announcing(model.message)
        .task { await model.refresh() }
        .onChange(of: phase) { _, phase in
            if phase == .active { Work.begin { await model.refresh() } }
        }
    }
}
#endif
