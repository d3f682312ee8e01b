#if canImport(SwiftUI)
public import SwiftUI

/// The one screen of the probe: a button for each step, and the report as text to be copied.
public struct ProbeView: View {
    @State private var probe = Probe()
    @State private var report: [String] = []
    @State private var running: Probe.Step?

    /// Makes the screen.
    public init() {}

    public var body: some View {
        List {
            Section("Steps") {
                ForEach(Probe.Step.allCases) { step in
                    Button(running == step ? "\(step.rawValue) …" : step.rawValue) { take(step) }
                        .disabled(running != nil)
                }
            }
            Section("Report") {
                Text(report.joined(separator: "\n")).font(.caption).textSelection(.enabled)
            }
        }
    }

    private func take(_ step: Probe.Step) {
        running = step
        Task {
            let lines = await probe.take(step)
            report += lines
            running = nil
        }
    }
}
#endif
