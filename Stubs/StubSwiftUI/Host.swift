import Synchronization

/// What was done that no view shows: announcements, feedback, opened links.
final class Journal: Sendable {
    /// The journal of the host whose view is evaluated, or whose action runs.
    @TaskLocal static var current: Journal?

    private let kept = Mutex(Kept())

    private struct Kept {
        var announcements: [String] = []
        var feedback: [String] = []
        var opened: [URL] = []
    }

    var announcements: [String] {
        get { kept.withLock { $0.announcements } }
        set { kept.withLock { $0.announcements = newValue } }
    }
    var feedback: [String] {
        get { kept.withLock { $0.feedback } }
        set { kept.withLock { $0.feedback = newValue } }
    }
    var opened: [URL] {
        get { kept.withLock { $0.opened } }
        set { kept.withLock { $0.opened = newValue } }
    }
}

/// What a step in a test found instead of what it needed.
public struct ViewHostFailure: Error, CustomStringConvertible {
    public let description: String
}

/// Shows a view without a screen: keeps its state, begins and ends its tasks, and tells what is shown.
///
/// A name that only the stand-in has. Every look at `shown` evaluates the bodies anew; what has appeared since the last look
/// is told, what has gone is told too, and this is repeated until nothing changes. Every step (`tap`, `set`, `press`) ends
/// with such a look.
@MainActor public final class ViewHost {
    private let evaluation = Evaluation()
    private let root: any View
    private var isClosed = false

    /// What the environment of the view is. A change counts from the next look.
    public var environment: EnvironmentValues

    /// Makes a host of a view. The view appears at the first look.
    ///
    /// - Parameter executor: where the tasks of `task` modifiers run, such as that of a virtual clock; nil for the default.
    public init(_ view: some View, environment: EnvironmentValues = .init(), executor: (any TaskExecutor)? = nil) {
        root = view
        evaluation.executor = executor
        self.environment = environment
    }

    /// What is shown now: a group of the view's elements, followed by the sheets, covers, alerts and dialogs over it.
    public var shown: Shown {
        precondition(!isClosed, "a host that is closed shows nothing")
        return evaluation.settle { context in
            var context = context
            context.environment = self.environment
            return shownElements(of: self.root, in: context)
        }
    }

    /// Ends it: what is shown disappears, and its tasks are cancelled.
    public func close() {
        guard !isClosed else { return }
        isClosed = true
        evaluation.close()
    }

    isolated deinit { evaluation.close() }

    /// What was said to VoiceOver with `AccessibilityNotification.Announcement`, in order.
    public var announcements: [String] { evaluation.journal.announcements }
    /// What the person felt: the names of `sensoryFeedback`, in order.
    public var feedback: [String] { evaluation.journal.feedback }
    /// The links that were opened in the system, in order.
    public var opened: [URL] { evaluation.journal.opened }
    /// How many tasks of `task` modifiers are running.
    public var runningTasks: Int { evaluation.runningTasks }

    // MARK: Steps

    /// Taps the one button, link or toggle with these words, or with this label for VoiceOver.
    public func tap(_ label: String) throws { try tap(label, at: nil) }

    /// Taps one of several with the same words, by its position in reading order from 0.
    public func tap(_ label: String, at position: Int) throws { try tap(label, at: Optional(position)) }

    private func tap(_ label: String, at position: Int?) throws {
        let screen = shown
        let tappable = screen.all.filter { $0.tap != nil }
        try choose(label, position, among: tappable, of: screen, verb: "tapped").tap?()
        _ = shown
    }

    /// What can be tapped now, by its label, in reading order.
    public var tappable: [String] { shown.all.filter { $0.tap != nil }.map(\.label) }

    /// Types into a field, or sets a toggle to "true" or "false".
    public func set(_ label: String, to value: String) throws {
        let screen = shown
        try choose(label, nil, among: screen.all.filter { $0.set != nil }, of: screen, verb: "set").set?(value)
        _ = shown
    }

    /// Sets a toggle.
    public func set(_ label: String, to value: Bool) throws { try set(label, to: value ? "true" : "false") }

    /// Presses the return key in a field.
    public func submit(_ label: String) throws {
        let screen = shown
        try choose(label, nil, among: screen.all.filter { $0.submit != nil }, of: screen, verb: "submitted").submit?()
        _ = shown
    }

    /// Performs a named action that VoiceOver offers at an element.
    public func perform(_ action: String, on label: String) throws {
        let screen = shown
        let able = screen.all.filter { element in element.actions.contains { $0.name == action } }
        let element = try choose(label, nil, among: able, of: screen, verb: "asked for the action “\(action)”")
        element.actions.first { $0.name == action }?.perform()
        _ = shown
    }

    private func choose(
        _ label: String, _ position: Int?, among elements: [Shown], of screen: Shown, verb: String
    ) throws -> Shown {
        let found = elements.filter { $0.answers(to: label) }
        let list = elements.map { "“\($0.label)”" }.joined(separator: ", ")
        if let position {
            guard found.indices.contains(position) else {
                throw ViewHostFailure(
                    description: "\(found.count) elements “\(label)”, so none at \(position) can be \(verb). There are: \(list)"
                )
            }
            return found[position]
        }
        guard found.count < 2 else {
            throw ViewHostFailure(description: "\(found.count) elements “\(label)”: say which is \(verb). There are: \(list)")
        }
        guard let element = found.first else {
            throw ViewHostFailure(description: "No “\(label)” can be \(verb). What can: \(list)\n\(screen.text())")
        }
        return element
    }

    /// Presses a key, for `onKeyPress` or a shortcut. As on a device, `onKeyPress` needs the focus inside its view.
    ///
    /// - Returns: whether a view took the key.
    @discardableResult public func press(_ key: Character, modifiers: EventModifiers = []) -> Bool {
        _ = shown
        let isTaken = evaluation.press(KeyEquivalent(key), modifiers)
        _ = shown
        return isTaken
    }

    /// Pulls the list down, and waits until it is refreshed.
    public func refresh() async throws {
        _ = shown
        guard let refresh = evaluation.refresh else { throw ViewHostFailure(description: "No list is shown with refreshable") }
        await Journal.$current.withValue(evaluation.journal) { await refresh() }
        _ = shown
    }

    /// Closes the topmost sheet as a swipe does.
    public func swipeAway() throws {
        _ = shown
        guard let top = evaluation.presentations.last, top.canBeSwipedAway else {
            throw ViewHostFailure(description: "No sheet is shown that can be swiped away")
        }
        evaluation.running { top.dismiss() }
        _ = shown
    }

    /// Goes on with other tasks until the view shows what is waited for.
    public func wait(
        for what: String, within turns: Int = 100_000, until isShown: @MainActor (Shown) -> Bool
    ) async throws {
        for _ in 0..<turns {
            if isShown(shown) { return }
            await Task.yield()
        }
        throw ViewHostFailure(description: "Waited in vain for \(what). Shown is:\n\(shown.text())")
    }
}

extension Shown {
    /// This element and all in it, in reading order.
    public var all: [Shown] { [self] + children.flatMap(\.all) }

    /// The words in it, as VoiceOver joins them: labels count instead of texts, and what is hidden from VoiceOver does not.
    public var words: String {
        if let label = value("accessibilityLabel") { return label }
        if facts.contains(where: { $0.name == "hidden" }) { return "" }
        let own = [.text, .textField, .secureField, .alert, .dialog].contains(kind) ? text : ""
        return ([own] + children.filter { !$0.isAside }.map(\.heard)).filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The words that VoiceOver finds in it: none where it is hidden, but for what was laid over it later.
    private var heard: String {
        guard let hidden = facts.firstIndex(where: { $0.name == "accessibilityHidden" }) else { return words }
        let later = facts[hidden...].filter { $0 == .init("overlay", "view") }.count
        return children.filter { $0.kind == .group && $0.facts.first?.name == "overlay" }.suffix(later).map(\.words)
            .filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// What it is called: its words, or the symbol's name where there are none.
    public var label: String {
        let words = words
        return words.isEmpty ? all.first { $0.kind == .symbol }?.text ?? "" : words
    }

    /// Whether a step means this element: by all of its words, or by one of its texts.
    func answers(to label: String) -> Bool {
        self.label == label || all.contains { $0.kind == .text && $0.text == label }
    }

    /// Whether it is no part of the element that it is a child of, as a menu over it.
    var isAside: Bool {
        kind == .group && facts.contains { ["background", "contextMenu", "swipeActions", "items"].contains($0.name) }
    }
}
