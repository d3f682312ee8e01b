#if canImport(SwiftUI)
public import SwiftUI
import ThumbturnCore
public import ThumbturnDevice

/// The contents of a sheet for one approval: every line that is signed, letter by letter, and two buttons. Nothing begins by itself.
///
///     .sheet(item: $approval) { approval in ApprovalSheet(ApprovalSheetModel(approval, for: auth, in: .english)) }
///
/// The lines are the model's, in the language that was given to the model. They stand here before the system's prompt, because the
/// prompt of some sensors shows no reason.
public struct ApprovalSheet: View {
    private let made: @MainActor () -> ApprovalSheetModel
    @State private var kept: ApprovalSheetModel?
    private var words = Words()
    @Environment(\.dismiss) private var dismiss

    /// Makes the contents of a sheet. The model is made once, and stays as long as the sheet does.
    public init(_ model: @autoclosure @escaping @MainActor () -> ApprovalSheetModel) { made = model }

    public var body: some View {
        ZStack {
            if let kept { contents(kept) }
        }
        .onAppear { if kept == nil { kept = made() } }
        .coveredIfLocked()
        .pinEntryInSheet()
        #if os(macOS)
        .frame(minWidth: 380, minHeight: 440)
        #endif
    }

    private func contents(_ model: ApprovalSheetModel) -> some View {
        NavigationStack {
            Form {
                Section {
                    // A sheet of a Mac has no title bar.
                    #if os(macOS)
                    Text(verbatim: model.details.title).font(.headline).accessibilityAddTraits(.isHeader)
                    #endif
                    ForEach(model.details.lines.indices, id: \.self) { place in
                        let line = model.details.lines[place]
                        LabeledContent {
                            Text(verbatim: line.value).foregroundStyle(.primary)
                        } label: {
                            Text(verbatim: line.label).foregroundStyle(.secondary)
                        }
                    }
                } footer: {
                    if let caution = words(model.details.caution) {
                        Label(caution, systemImage: "exclamationmark.triangle")
                    }
                }
            }
            .formStyle(.grouped)
            .navigationTitle(Text(verbatim: model.details.title))
            .toolbar {
                if ![.approved, .declined].contains(model.stage) {
                    ToolbarItem(placement: .cancellationAction) {
                        Button(words(.notNow)) { dismiss() }.disabled(model.isBusy)
                    }
                }
            }
            .safeAreaInset(edge: .bottom) { decision(model).background(.bar) }
        }
        .interactiveDismissDisabled(model.isBusy)
        .announcing(model.message)
        // visionOS has no feedback before 26.
        #if !os(visionOS)
        .sensoryFeedback(.success, trigger: model.stage) { _, stage in stage == .approved }
        #endif
    }

    @ViewBuilder private func decision(_ model: ApprovalSheetModel) -> some View {
        VStack(spacing: 12) {
            switch model.stage {
            case .approved:
                Label(words(.approved), systemImage: "checkmark.circle.fill").font(.headline)
                WideButton(words(.done), isProminent: true) { dismiss() }
            case .declined:
                Label(words(.declined), systemImage: "xmark").font(.headline)
                WideButton(words(.done), isProminent: true) { dismiss() }
            case .shown, .asking, .declining, .stopped:
                if let message = words(model.message) { Text(verbatim: message).multilineTextAlignment(.center) }
                // The return key approves nothing: a person may be typing when the sheet appears.
                WideButton(words(.approve), isProminent: model.canApprove, isDefault: false) {
                    Work.begin { await model.approve() }
                }
                .disabled(!model.canApprove)
                WideButton(words(.decline), isProminent: false) { Work.begin { await model.decline() } }
                    .disabled(model.isBusy)
            }
        }
        .padding()
    }
}
#endif
