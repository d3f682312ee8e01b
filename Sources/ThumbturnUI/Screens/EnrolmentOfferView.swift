#if canImport(SwiftUI)
public import SwiftUI
import ThumbturnCore
public import ThumbturnDevice

/// The offer of biometrics, as a card or a sheet: what they are good for, and three answers. Shows nothing while no offer is due.
///
///     EnrolmentOfferView(offer)
///
/// It asks the model when it appears and when the app comes back, for example from the settings.
public struct EnrolmentOfferView: View {
    private let model: BiometricOfferModel
    private var words = Words()
    @Environment(\.scenePhase) private var phase

    /// Makes the view of an offer.
    public init(_ model: BiometricOfferModel) { self.model = model }

    public var body: some View {
        ZStack {
            if model.isShown {
                offer.padding(24)
            } else if let message = words(model.message) {
                Text(verbatim: message).foregroundStyle(.secondary).padding(24)
            }
        }
        .multilineTextAlignment(.center)
        .frame(maxWidth: 480)
        .announcing(model.message)
        .task { await model.refresh() }
        .onChange(of: phase) { _, phase in
            if phase == .active { Work.begin { await model.refresh() } }
        }
    }

    private var offer: some View {
        VStack(spacing: 16) {
            Image(systemName: Symbols.name(of: model.sensor))
                .font(.largeTitle)
                .foregroundStyle(.tint)
                .accessibilityHidden(true)
            Text(verbatim: words(model.title)).font(.headline).accessibilityAddTraits(.isHeader)
            Text(verbatim: words(model.text))
            VStack(spacing: 8) {
                ForEach(model.buttons, id: \.answer) { answer, label in
                    if answer == .setUp {
                        WideButton(words(label), isProminent: true) { reply(answer) }
                    } else {
                        QuietButton(words(label)) { reply(answer) }
                    }
                }
            }
        }
    }

    private func reply(_ answer: BiometricOffer.Answer) { Work.begin { await model.answer(answer) } }
}
#endif
