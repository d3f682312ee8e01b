#if STAND_INS
import Observation
import SwiftUI
import Testing

/// A model of the view below.
@Observable @MainActor final class AcceptedModel {
    var name = ""
    var isOn = false
}

/// Most of what the stand-in declares, used as SwiftUI accepts it.
private struct Everything: View {
    enum Field: Hashable { case name, pin }
    @State private var text = ""
    @State private var isShown = false
    @State private var item: AcceptedModel?
    @FocusState private var field: Field?
    @AccessibilityFocusState private var heard: Bool
    @Environment(\.dismiss) private var dismiss
    @Environment(\.openURL) private var openURL
    @Environment(\.scenePhase) private var phase
    @Environment(AcceptedModel.self) private var model
    @Environment(AcceptedModel.self) private var maybe: AcceptedModel?
    @ScaledMetric(relativeTo: .title) private var side = 44.0
    let columns = [GridItem(.adaptive(minimum: 80)), GridItem(.flexible())]

    var body: some View {
        @Bindable var model = model
        NavigationStack {
            ScrollView([.horizontal, .vertical]) {
                LazyVGrid(columns: columns, spacing: 8) {
                    ForEach(0..<3) { Text("Cell \($0)") }
                    ForEach(["a", "b"], id: \.self) { name in Text(name) }
                }
                Text("A ") + Text("B").bold() + Text(verbatim: "C").foregroundStyle(.red)
                if #available(iOS 18, macOS 15, *) { Text("new") }
                switch field {
                case .name: Text("name")
                case .pin: Image(systemName: "lock")
                case nil: EmptyView()
                }
                TextField("Name", text: $model.name).focused($field, equals: .name).submitLabel(.next)
                    .textContentType(.username).keyboardType(.numberPad).autocorrectionDisabled()
                    .onSubmit { field = .pin }
                SecureField(text: $text, prompt: Text("PIN")) { Text("PIN") }
                Toggle(isOn: $model.isOn) { Label("On", systemImage: "power") }.toggleStyle(.switch)
                Toggle("Off", isOn: Binding(get: { model.isOn }, set: { model.isOn = $0 }))
                Button(role: .destructive) {
                    dismiss()
                } label: {
                    Label("Delete", systemImage: "trash").labelStyle(.iconOnly)
                }
                Button("Cancel", role: .cancel, action: { dismiss() })
                Button("Go", systemImage: "arrow.right", action: go).buttonStyle(.borderedProminent).tint(.green)
                Menu("More") {
                    Button("One") {}; Divider(); Button("Two") {}
                }
                Link("Help", destination: URL(string: "https://example.com")!)
                ProgressView(value: 0.4, total: 1) { Text("Loading") }.progressViewStyle(.linear)
                Rectangle().fill(.regularMaterial).frame(width: side, height: side).clipShape(.rect(cornerRadius: 8))
                RoundedRectangle(cornerRadius: 12).stroke(.secondary, lineWidth: 1)
                ContentUnavailableView("Nothing", systemImage: "tray", description: Text("Empty"))
                ContentUnavailableView {
                    Label("No", systemImage: "x")
                } description: {
                    Text("d")
                } actions: {
                    Button("Retry") {}
                }
                Grid {
                    GridRow {
                        Text("1"); Text("2")
                    }
                }
                Text(Date.now, format: .dateTime.hour())
                Text(Date.now, style: .time)
                Text(AttributedString("rich"))
            }
            .background(.background.opacity(0.5))
            .background(Color.blue.opacity(0.1), in: .rect(cornerRadius: 8))
            .foregroundStyle(.primary, .tint)
            .navigationTitle("Title").navigationBarTitleDisplayMode(.inline)
            .toolbar {
                ToolbarItem(placement: .topBarTrailing) { Button("Edit") {} }; if isShown { ToolbarItem { Text("x") } }
            }
            .task(id: text) { await load() }
            .task { await load() }
            .onChange(of: phase) { old, new in if new == .active { go() } }
            .onChange(of: text, initial: true) { field = nil }
            .sheet(isPresented: $isShown) { Text("Sheet").presentationDetents([.medium, .height(200)]) }
            .alert("Title", isPresented: $isShown) {
                Button("OK") {}
            } message: {
                Text("Message")
            }
            .confirmationDialog("Sure?", isPresented: $isShown, titleVisibility: .visible) { Button("Yes") {} }
            .animation(.easeInOut(duration: 0.25), value: isShown)
            .transition(.opacity).contentTransition(.numericText()).symbolEffect(.pulse, isActive: isShown)
            .accessibilityFocused($heard).accessibilityAction(named: "Do") {}.accessibilityAddTraits([.isHeader, .isButton])
            .environment(\.locale, Locale(identifier: "de")).environment(AcceptedModel()).dynamicTypeSize(...(.accessibility2))
            .overlay(alignment: .topTrailing) { Circle().frame(width: 8) }
            .onKeyPress(keys: [.return, "a"]) { _ in .handled }.onKeyPress(.escape) { .ignored }
            .safeAreaInset(edge: .bottom) { Text("bar") }.ignoresSafeArea(.keyboard, edges: .bottom)
            .containerRelativeFrame(.horizontal).interactiveDismissDisabled().privacySensitive()
            .sensoryFeedback(.impact(weight: .light), trigger: isShown)
            .preferredColorScheme(.dark).controlSize(.large).contentShape(.rect)
        }
    }
    private func go() { withAnimation(.default) { isShown.toggle() } }
    private func load() async {}
}

struct EverythingApp: App {
    @State private var model = AcceptedModel()
    var body: some Scene { WindowGroup { Everything().environment(model) } }
}

struct Everything_Previews: PreviewProvider { static var previews: some View { Everything() } }

/// Code for SwiftUI compiles against the stand-in, and is evaluated.
@MainActor struct AcceptedTests {
    @Test("Everything is shown") func everything() {
        let host = ViewHost(Everything().environment(AcceptedModel()))
        let kinds = Set(host.shown.all.map(\.kind))
        #expect(
            kinds.isSuperset(of: [.navigation, .scroll, .grid, .gridRow, .textField, .secureField, .toggle, .menu, .progress]))
        #expect(host.tappable.contains("Delete") && host.tappable.contains("Edit"))
    }

    @Test("An app's type is an app's, and the module has Apple's name") func app() {
        #if !canImport(SwiftUI)
        Issue.record("SwiftUI is not seen")
        #endif
        let type: any App.Type = EverythingApp.self
        #expect("\(type)" == "EverythingApp")
    }
}
#endif
