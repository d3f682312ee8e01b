#if STAND_INS
import Observation
import SwiftUI
import Testing

/// What a view is in a host: its state stays, and what it began ends with it.
@MainActor struct LifecycleTests {
    @Observable @MainActor final class Model { var name = "Ada" }

    @Test("A state is kept from one look to the next") func state() throws {
        struct Counter: View {
            @State private var count = 0
            var body: some View {
                Text("Count \(count)")
                Button("More") { count += 1 }
            }
        }
        let host = ViewHost(Counter())
        try host.tap("More")
        try host.tap("More")
        #expect(host.shown.words == "Count 2 More")
    }

    @Test("Two places of one value have a state each") func twoPlaces() throws {
        struct Counter: View {
            @State private var count = 0
            var body: some View { Button("\(count)") { count += 1 } }
        }
        let one = Counter()
        let host = ViewHost(
            VStack {
                one
                one
            })
        try host.tap("0", at: 1)
        #expect(host.shown.words == "0 1")
        try host.tap("1")
        try host.tap("0")
        #expect(host.shown.words == "1 2")
    }

    @Test("A binding reaches the state above it") func bindings() throws {
        struct Settings: Equatable {
            var isOn = false
            var name = ""
        }
        struct Inner: View {
            @Binding var settings: Settings
            var body: some View {
                Toggle("Lock", isOn: $settings.isOn)
                TextField("Name", text: $settings.name)
            }
        }
        struct Outer: View {
            @State private var settings = Settings()
            var body: some View {
                Inner(settings: $settings)
                if settings.isOn { Text("Locked by \(settings.name)") }
            }
        }
        let host = ViewHost(Outer())
        try host.set("Name", to: "Ada")
        try host.set("Lock", to: true)
        #expect(host.shown.all.contains { $0.text == "Locked by Ada" })
    }

    @Test("A branch that comes back begins anew, and so does another identity") func identity() throws {
        struct Counter: View {
            @State private var count = 0
            var body: some View { Button("Count \(count)") { count += 1 } }
        }
        struct Page: View {
            @State private var isShown = true
            @State private var identity = 1
            var body: some View {
                if isShown { Counter().id(identity) }
                Button("Hide or show") { isShown.toggle() }
                Button("Another") { identity += 1 }
            }
        }
        let host = ViewHost(Page())
        try host.tap("Count 0")
        #expect(host.tappable == ["Count 1", "Hide or show", "Another"])
        try host.tap("Hide or show")
        try host.tap("Hide or show")
        #expect(host.tappable.first == "Count 0")
        try host.tap("Count 0")
        try host.tap("Another")
        #expect(host.tappable.first == "Count 0")
    }

    @Test("The state of a row follows its identity through a change of order") func rows() throws {
        struct Row: View {
            let name: String
            @State private var isChosen = false
            var body: some View { Button("\(name) \(isChosen ? "yes" : "no")") { isChosen.toggle() } }
        }
        struct Page: View {
            @State private var names = ["a", "b", "c"]
            var body: some View {
                List { ForEach(names, id: \.self) { Row(name: $0) } }
                Button("Turn") { names.reverse() }
                Button("Drop") { names.removeAll { $0 == "a" } }
                Button("Add") { names.append("a") }
            }
        }
        let host = ViewHost(Page())
        try host.tap("a no")
        try host.tap("Turn")
        #expect(host.tappable.prefix(3) == ["c no", "b no", "a yes"])
        try host.tap("Drop")
        try host.tap("Add")
        #expect(host.tappable.prefix(3) == ["c no", "b no", "a no"])
    }

    @Test("What appears and disappears is told once, in order") func appearing() throws {
        let log = Log()
        struct Page: View {
            let log: Log
            @State private var isShown = false
            var body: some View {
                VStack {
                    Button("Switch") { isShown.toggle() }
                    if isShown {
                        Text("Here").onAppear { log.add("appears") }.onDisappear { log.add("disappears") }
                    }
                }
                .onChange(of: isShown) { old, new in log.add("\(old) to \(new)") }
            }
        }
        let host = ViewHost(Page(log: log))
        _ = host.shown
        #expect(log.lines == [])
        try host.tap("Switch")
        _ = host.shown
        #expect(log.lines == ["appears", "false to true"])
        try host.tap("Switch")
        #expect(log.lines == ["appears", "false to true", "disappears", "true to false"])
    }

    @Test("A change that an appearance makes is shown by the same look") func settles() {
        struct Page: View {
            @State private var step = 0
            var body: some View {
                Text("Step \(step)").onAppear { step = 1 }.onChange(of: step) { if step < 3 { step += 1 } }
            }
        }
        #expect(ViewHost(Page()).shown.words == "Step 3")
    }

    @Test("An observable model is read anew at each look") func observable() {
        struct Page: View {
            let model: Model
            var body: some View { Text(model.name) }
        }
        let model = Model()
        let host = ViewHost(Page(model: model))
        #expect(host.shown.words == "Ada")
        model.name = "Grace"
        #expect(host.shown.words == "Grace")
    }

    @Test("A task begins with its view, sees its state, and is cancelled with it") func tasks() async throws {
        let log = Log()
        struct Page: View {
            let log: Log
            @State private var isShown = true
            @State private var result = "waiting"
            var body: some View {
                VStack {
                    Text(result)
                    Button("Hide") { isShown = false }
                    if isShown {
                        Text("Working").task {
                            result = "begun"
                            await withTaskCancellationHandler {
                                await forever()
                            } onCancel: {
                            }
                            log.add(Task.isCancelled ? "cancelled" : "ended")
                        }
                    }
                }
            }
        }
        let host = ViewHost(Page(log: log))
        try await host.wait(for: "the task to begin") { $0.words.contains("begun") }
        #expect(host.runningTasks == 1)
        try host.tap("Hide")
        try await host.wait(for: "the task to end") { _ in log.lines == ["cancelled"] }
        #expect(host.runningTasks == 0)
    }

    @Test("Another id restarts a task, and closing the host ends it") func restarts() async throws {
        let log = Log()
        struct Page: View {
            let log: Log
            @State private var id = 1
            var body: some View {
                Button("Next") { id += 1 }.task(id: id) {
                    log.add("begins \(id)")
                    await forever()
                    log.add("ends")
                }
            }
        }
        let host = ViewHost(Page(log: log))
        try await host.wait(for: "the first") { _ in log.lines == ["begins 1"] }
        try host.tap("Next")
        try await host.wait(for: "the second") { _ in log.lines == ["begins 1", "ends", "begins 2"] || log.lines.count == 3 }
        host.close()
        while log.lines.count < 4 { await Task.yield() }
        #expect(log.lines.filter { $0 == "ends" }.count == 2)
    }

    @Test("Nothing is told for a view that shows nothing") func emptyViews() {
        let log = Log()
        let host = ViewHost(Group { if log.lines.count > 5 { Text("Never") } }.onAppear { log.add("appears") })
        _ = host.shown
        #expect(log.lines == [])
    }
}

/// What happened, in order.
@MainActor final class Log {
    private(set) var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
}

/// Waits until the task is cancelled.
func forever() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    await withTaskCancellationHandler {
        for await _ in stream {}
    } onCancel: {
        continuation.finish()
    }
}
#endif
