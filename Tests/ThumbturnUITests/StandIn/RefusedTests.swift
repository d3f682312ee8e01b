#if STAND_INS
import Foundation
import SwiftUI
import Testing

/// The stand-in is strict: what SwiftUI does not compile, it does not compile either.
struct RefusedTests {
    /// Views that SwiftUI refuses: wrong labels, orders, types, members, isolation, and what is of later systems or deprecated.
    static let fragments = [
        #"Text("x").foregroundStyle(.accentColor)"#,
        #"Text("x").font(.systemFont(size: 3))"#,
        #"Text(5)"#,
        #"Text("x").padding(.top, .infinity, 3)"#,
        #"Text("x").frame(width: 3, maxWidth: 4)"#,
        #"Text("x").frame(maxHeight: 4, maxWidth: 3)"#,
        #"Button("x")"#,
        #"Button("x", action: {}, role: .cancel)"#,
        #"Button("x", role: .destructive, systemImage: "trash") {}"#,
        #"Button(label: { Text("x") }, action: {})"#,
        #"Button("x", role: .confirm) {}"#,
        #"Image(systemImage: "lock")"#,
        #"Color(.systemBackground)"#,
        #"Label("x", systemName: "lock")"#,
        #"VStack(spacing: 3, alignment: .leading) { Text("x") }"#,
        #"VStack { for i in 0..<3 { Text("\(i)") } }"#,
        #"VStack { 5 }"#,
        #"HStack(alignment: .leading) { Text("x") }"#,
        #"ForEach([Model()]) { _ in Text("x") }"#,
        #"ForEach(["a"]) { Text($0) }"#,
        #"Text("x").onChange(of: Model()) { }"#,
        #"Text("x").onChange(of: 1, perform: { _ in })"#,
        #"Text("x").buttonStyle(.filled)"#,
        #"Text("x").accessibilityLabel(5)"#,
        #"Text("x").accessibility(label: Text("y"))"#,
        #"Text("x").cornerRadius(3)"#,
        #"Text("x").animation(.default)"#,
        #"Text("x").sheet(isPresented: true) { Text("y") }"#,
        #"Text("x").sheet(isPresented: $text) { Text("y") }"#,
        #"Text("x").environment(\.accessibilityReduceMotion, true)"#,
        #"Text("x").environment(\.dismiss, dismiss)"#,
        #"Toggle("x", isOn: true)"#,
        #"TextField("x", $text)"#,
        #"TextField("x", text: text)"#,
        #"SecureField("x", text: $text, axis: .vertical)"#,
        #"NavigationLink("x", destination: Text("y"), isActive: $flag)"#,
        #"Section("x") { Text("y") } footer: { Text("z") }"#,
        #"Grid(spacing: 3) { Text("x") }"#,
        #"Text("x").onKeyPress(characters: "abc") { _ in .handled }"#,
        #"Text("x").onKeyPress(.escape) { }"#,
        #"Text("x").focused(flag)"#,
        #"Text("x").keyboardShortcut(.enter)"#,
        #"Text("x").transition(.fade)"#,
        #"Text("x").clipShape(12)"#,
        #"Text("x").background(.blurMaterial)"#,
        #"Text("x").symbolEffect(.pulse, value: Model())"#,
        #"Text("x").accessibilityAddTraits(.header)"#,
        #"Text("x").dynamicTypeSize(.huge)"#,
        #"Text("x").toolbar { ToolbarItem(placement: .trailing) { Text("y") } }"#,
        #"Text("x").alert("t", isPresented: $flag, message: { Text("m") })"#,
        #"Text("x").presentationDetents(.medium)"#,
        #"Text("x").overlay(alignment: .center, Text("y"))"#,
        #"Text("x").gridCellColumns("2")"#,
        #"Text(verbatim: LocalizedStringKey("x"))"#,
        #"ViewHost(Text("x")).shown.view"#,
        #"Text("x").task { other.change() }"#,
        #"Button("x") { other.change() }"#,
        #"Text("x").id(Plain())"#,
        #"Text("x").tag(Plain())"#,
        #"Text("x").navigationTitle(5)"#,
        #"NavigationStack { Text("x") }.navigationDestination(for: Plain.self) { _ in Text("y") }"#,
        #"Text("x").environment(Plain())"#,
        #"Text("x").focused($focus, equals: "x")"#,
        #"Text("x").refreshable { text.append("x") }.onSubmit(perform: {})"#,
        #"Picker("x", selection: text) { Text("y") }"#,
        #"ProgressView(value: "x")"#,
        #"Spacer(3)"#,
        #"Divider(3)"#,
        #"Link("x", destination: "https://example.com")"#,
        #"Text("x").tint("red")"#,
        #"Text("x").opacity("1")"#,
        #"Text("x").symbolRenderingMode(.flat)"#,
        #"Text("x").controlSize(.huge)"#,
        #"Text("x").accessibilityElement(children: .merge)"#,
        #"Text("x").onAppear { await load() }"#,
        #"Text("x").sheet(item: $text) { _ in Text("y") }"#,
        #"Rectangle().fill("red")"#,
        #"Text("x").stroke(.red)"#,
        #"Button("x") {}.buttonStyle(Plain())"#,
        #"Text("x").onKeyPress(keys: [.letter]) { _ in .handled }"#,
        #"Text("x").lineLimit("2")"#,
        #"Text("x").animation(.default, value: Plain())"#,
    ]

    private static let preamble = """
        import SwiftUI
        final class Plain {}
        actor Other { func change() {} }
        func load() async {}

        """

    /// One view on one line.
    private static func view(_ fragment: String, _ number: Int) -> String {
        """
        struct View\(number): View { @State var text = ""; @State var flag = false; @FocusState var focus: Bool; \
        @Environment(\\.dismiss) var dismiss; let other = Other(); var body: some View { \(fragment) } }
        """
    }

    /// The lines with errors, from a compiler that sees this test's own stand-in.
    private static func errors(in source: String) throws -> (lines: Set<Int>, output: String) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("refused-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("Views.swift")
        try source.write(to: file, atomically: true, encoding: .utf8)
        let modules = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(
            "Modules")
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = [
            "swiftc", "-typecheck", "-warnings-as-errors", "-swift-version", "6", "-enable-upcoming-feature", "ExistentialAny",
            "-enable-upcoming-feature", "MemberImportVisibility", "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
            "-I", modules.path, "-module-alias", "SwiftUI=StubSwiftUI", file.path,
        ]
        let pipe = Pipe()
        (compiler.standardOutput, compiler.standardError) = (pipe, pipe)
        try compiler.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        compiler.waitUntilExit()
        let lines = output.matches(of: /Views\.swift:(\d+):\d+: error:/).compactMap { Int($0.1) }
        return (Set(lines), output)
    }

    @Test("What SwiftUI refuses is refused") func refused() throws {
        let views = Self.fragments.enumerated().map { Self.view($1, $0) }
        let first = Self.preamble.split(separator: "\n", omittingEmptySubsequences: false).count
        let found = try Self.errors(in: Self.preamble + views.joined(separator: "\n") + "\n")
        for (index, fragment) in Self.fragments.enumerated() {
            #expect(found.lines.contains(first + index), "\(fragment)")
        }
        #expect(Self.fragments.count > 70)
    }

    @Test("The same views without their faults are accepted") func accepted() throws {
        let views = [
            #"Text("x").foregroundStyle(.tint)"#, #"Button("x", role: .cancel, action: {})"#, #"Image(systemName: "lock")"#,
            #"Text("x").task { text.append("x"); await other.change() }"#, #"Text("x").frame(maxWidth: 4, maxHeight: 3)"#,
            #"Text("x").focused($focus).onKeyPress(.escape) { .ignored }"#, #"Toggle("x", isOn: $flag)"#,
        ]
        let found = try Self.errors(
            in: Self.preamble + views.enumerated().map { Self.view($1, $0) }.joined(separator: "\n") + "\n")
        #expect(found.lines == [], "\(found.output)")
    }
}
#endif
