#if STAND_INS
import Foundation
import SwiftUI
import Testing
import ThumbturnCore
import ThumbturnTestKit

/// The screen of an app in a test: each step waits for what it needs to be shown, while time passes slowly.
///
/// What a tap begins runs on other threads too, so the clock does not move by itself here.
@MainActor final class Screen {
    let clock: VirtualClock
    private let host: ViewHost

    init(_ view: some View, clock: VirtualClock) {
        self.clock = clock
        host = ViewHost(view)
    }

    /// Runs a story on the main actor, with a clock that stands still where the story does not move it.
    static func run(_ story: @escaping @MainActor @Sendable (VirtualClock) async throws -> Void) async throws {
        let clock = VirtualClock()
        try await clock.run(mainActorToo: true) { @MainActor in
            try await clock.outside { try await story(clock) }
        }
    }

    /// The system ends the app.
    func close() { host.close() }

    var shown: Shown { host.shown }
    /// The links that were opened in the system.
    var opened: [URL] { host.opened }

    /// Whether these words are somewhere on the screen. What is hidden from VoiceOver, as behind a lock, is not.
    func has(_ words: String) -> Bool {
        shown.words.contains(words) || shown.all.contains { $0.value("navigationTitle") == words }
    }

    func sees(_ words: String, at place: SourceLocation = #_sourceLocation) async throws {
        try await wait(for: "“\(words)”", at: place) { self.has(words) }
    }

    func tap(_ label: String, at place: SourceLocation = #_sourceLocation) async throws {
        try await wait(for: "the button “\(label)”", at: place) { self.host.tappable.contains(label) }
        try host.tap(label)
    }

    /// Taps the first button whose label begins so.
    func tap(prefix: String, at place: SourceLocation = #_sourceLocation) async throws {
        func label() -> String? { host.tappable.first { $0.hasPrefix(prefix) } }
        try await wait(for: "a button “\(prefix)…”", at: place) { label() != nil }
        try host.tap(try #require(label()))
    }

    func type(_ text: String, into field: String, at place: SourceLocation = #_sourceLocation) async throws {
        try await wait(for: "the field “\(field)”", at: place) {
            self.shown.all.contains { $0.set != nil && $0.label == field }
        }
        try host.set(field, to: text)
    }

    /// Types a PIN on the key pad, and confirms it.
    func enter(pin: String, at place: SourceLocation = #_sourceLocation) async throws {
        for digit in pin { try await tap(String(digit), at: place) }
        try await tap("Continue", at: place)
    }

    /// Moves the one switch on the screen, and waits until it shows the new position.
    func move(switchTo isOn: Bool, at place: SourceLocation = #_sourceLocation) async throws {
        try await wait(for: "the switch", at: place) {
            self.toggle?.set != nil && self.toggle?.value("isOn") == "\(!isOn)"
        }
        toggle?.set?("\(isOn)")
    }

    func sees(switchAt isOn: Bool, at place: SourceLocation = #_sourceLocation) async throws {
        try await wait(for: "the switch at \(isOn)", at: place) { self.toggle?.value("isOn") == "\(isOn)" }
    }

    private var toggle: Shown? { shown.all.first { $0.kind == .toggle } }

    /// Lets time pass, with work for the app in between.
    func pass(_ time: Duration) async {
        let end = clock.now.advanced(by: time)
        while clock.now < end {
            await work()
            clock.advance(by: min(.seconds(1), clock.now.duration(to: end)))
        }
        await work()
    }

    /// Gives the app's work on every thread its turn: what has the lowest priority comes after it. A server's answer takes as
    /// long as it takes, at most ten seconds.
    private func work() async {
        for _ in 0..<5 {
            _ = shown
            await Task.detached(priority: .background) {}.value
            await Task.yield()
            // The story itself is work outside of the clock.
            for _ in 0..<10_000 where clock.workOutside > 1 { try? await Task.sleep(for: .milliseconds(1)) }
        }
    }

    /// Lets the app work until something is so; at most 20 seconds of its time pass.
    func wait(
        for what: String, at place: SourceLocation = #_sourceLocation, until isSo: @MainActor () async throws -> Bool
    ) async throws {
        for _ in 0..<400 {
            if try await isSo() { return }
            await work()
            if try await isSo() { return }
            clock.advance(by: .milliseconds(50))
        }
        Issue.record("Waited in vain for \(what). Shown is:\n\(shown.text())", sourceLocation: place)
        throw WaitedInVain()
    }

    struct WaitedInVain: Error {}
}
#endif
