/// What a host knows of its tree from one evaluation to the next.
@MainActor final class Evaluation {
    let journal = Journal()

    // Kept between evaluations.
    private var locations: [Place: AnyObject] = [:]
    private var appeared: [Place: Appearance] = [:]
    private var order: [Place] = []
    private var tasks: [Place: Running] = [:]
    private var changes: [Place: Any] = [:]

    // Collected in one evaluation.
    private var touched: Set<Place> = []
    private var nowAppeared: [Place: Appearance] = [:]
    private var nowOrder: [Place] = []
    private var nowChanges: [Place: Any] = [:]
    private var due: [() -> Void] = []
    private var focusables: [Place] = []
    private var focusClaims: [FocusClaim] = []
    private var keyHandlers: [(place: Place, handler: @MainActor (KeyPress) -> KeyPress.Result)] = []
    private var shortcuts: [(shortcut: KeyboardShortcut, tap: @MainActor () -> Void)] = []
    /// What pulling the list down does.
    var refresh: RefreshAction?
    private(set) var presentations: [Presentation] = []
    /// The navigation stacks around what is evaluated, innermost last.
    var navigations: [Navigation] = []
    /// More than 0 while a screen is evaluated that another covers: its state is kept, and it has disappeared.
    var covered = 0

    /// What is told when a view appears and disappears.
    struct Appearance {
        var appear: (@MainActor () -> Void)?
        var disappear: (@MainActor () -> Void)?
        /// The task that runs while it is shown, with the value that restarts it.
        var task: (id: AnyHashable, priority: TaskPriority, work: @Sendable () async -> Void)?
    }

    private struct Running {
        let id: AnyHashable
        let task: Task<Void, Never>
        let isOver: Flag
    }

    @MainActor final class Flag { var isSet = false }

    struct Presentation {
        var element: Shown
        let dismiss: @MainActor () -> Void
        var canBeSwipedAway: Bool
    }

    struct FocusClaim {
        let place: Place
        let isActive: Bool
        let giveUp: @MainActor () -> Void
    }

    /// Where the tasks run; nil for the default.
    var executor: (any TaskExecutor)?
    var runningTasks: Int { tasks.values.filter { !$0.isOver.isSet }.count }

    // MARK: Evaluating

    /// Evaluates until nothing is left to tell.
    func settle(_ evaluate: (Context) -> [Shown]) -> Shown {
        for _ in 0..<100 {
            let shown = Journal.$current.withValue(journal) { evaluateOnce(evaluate) }
            if !Journal.$current.withValue(journal, operation: { tell() }) { return shown }
        }
        fatalError("The view changes again and again while it is evaluated, as with onChange that changes what it watches")
    }

    private func evaluateOnce(_ evaluate: (Context) -> [Shown]) -> Shown {
        (touched, nowAppeared, nowOrder, nowChanges, due) = ([], [:], [], [:], [])
        (focusables, focusClaims, keyHandlers, shortcuts, presentations, refresh) = ([], [], [], [], [], nil)
        (navigations, covered) = ([], 0)
        var elements = evaluate(Context(evaluation: self, place: Place(), environment: EnvironmentValues()))
        locations = locations.filter { touched.contains($0.key) }
        // A focus state that asks for a view which cannot have the focus falls back.
        for claim in focusClaims where claim.isActive && !focusables.contains(where: { $0.isInside(claim.place) }) {
            due.append(claim.giveUp)
        }
        var over = presentations.map(\.element)
        // Only the topmost can be touched.
        if !over.isEmpty {
            elements = elements.map(\.untouchable)
            for index in over.indices.dropLast() { over[index] = over[index].untouchable }
        }
        return Shown(.group, children: elements + over)
    }

    /// Tells what has changed since the last time; false where nothing has.
    private func tell() -> Bool {
        var isChanged = false
        let (before, beforeOrder) = (appeared, order)
        (appeared, order) = (nowAppeared, nowOrder)
        for place in beforeOrder where nowAppeared[place] == nil {
            end(place)
            if let disappear = before[place]?.disappear {
                disappear()
                isChanged = true
            }
        }
        for place in nowOrder {
            if before[place] == nil, let appear = nowAppeared[place]?.appear {
                appear()
                isChanged = true
            }
            if let task = nowAppeared[place]?.task, tasks[place]?.id != task.id {
                end(place)
                begin(task, at: place)
            }
        }
        changes = nowChanges
        let due = due
        for action in due { action() }
        return isChanged || !due.isEmpty
    }

    private func begin(_ task: (id: AnyHashable, priority: TaskPriority, work: @Sendable () async -> Void), at place: Place) {
        let isOver = Flag()
        let work = task.work
        let run: @MainActor @Sendable () async -> Void = {
            await work()
            isOver.isSet = true
        }
        let begun = Task(executorPreference: executor, priority: task.priority, operation: run)
        tasks[place] = Running(id: task.id, task: begun, isOver: isOver)
    }

    private func end(_ place: Place) { tasks.removeValue(forKey: place)?.task.cancel() }

    /// Everything disappears.
    func close() {
        (nowAppeared, nowOrder, nowChanges, due) = ([:], [], [:], [])
        _ = Journal.$current.withValue(journal) { tell() }
        locations = [:]
    }

    // MARK: What views say while they are evaluated

    /// Where a state is kept; a new one where the view is new here.
    func location<Value>(at place: Place, _ initial: @autoclosure () -> Value) -> Location<Value> {
        touched.insert(place)
        if let location = locations[place] as? Location<Value> { return location }
        let location = Location(initial())
        locations[place] = location
        return location
    }

    func add(_ appearance: Appearance, at place: Place) {
        guard covered == 0 else { return }
        nowAppeared[place] = appearance
        nowOrder.append(place)
    }

    /// Watches a value, and calls with the old one when it is another than before.
    func watch<V>(
        _ value: V, at place: Place, initial: Bool, isSame: (V, V) -> Bool, _ action: @escaping (V, V) -> Void
    ) {
        // A screen that is looked at twice in one evaluation tells once.
        guard nowChanges[place] == nil else { return }
        nowChanges[place] = value
        if let old = changes[place] as? V {
            if !isSame(old, value) { due.append { action(old, value) } }
        } else if initial {
            due.append { action(value, value) }
        }
    }

    /// How often a value has changed since its view appeared.
    func changeCount<V: Equatable>(of value: V, at place: Place) -> Int {
        let kept = location(at: place, (value: value, count: 0))
        if kept.value.value != value { kept.value = (value, kept.value.count + 1) }
        return kept.value.count
    }

    func present(dismiss: @escaping @MainActor () -> Void, canBeSwipedAway: Bool, _ element: () -> Shown) {
        guard covered == 0 else { return }
        let index = presentations.count
        presentations.append(.init(element: Shown(.group), dismiss: dismiss, canBeSwipedAway: canBeSwipedAway))
        let made = element()
        presentations[index].element = made
        if made.all.contains(where: { $0.value("interactiveDismissDisabled") != nil }) {
            presentations[index].canBeSwipedAway = false
        }
    }

    /// An action as it runs: with this host's journal.
    func performing(_ action: @escaping @MainActor () -> Void) -> @MainActor () -> Void {
        { [journal] in Journal.$current.withValue(journal) { action() } }
    }

    func running(_ action: @MainActor () -> Void) { Journal.$current.withValue(journal) { action() } }

    // MARK: Keys and focus

    func addFocusable(_ place: Place) { if covered == 0 { focusables.append(place) } }
    func addFocusClaim(_ claim: FocusClaim) { if covered == 0 { focusClaims.append(claim) } }
    func addKeyHandler(at place: Place, _ handler: @escaping @MainActor (KeyPress) -> KeyPress.Result) {
        if covered == 0 { keyHandlers.append((place, handler)) }
    }
    func addShortcut(_ shortcut: KeyboardShortcut, _ tap: @escaping @MainActor () -> Void) {
        if covered == 0 { shortcuts.append((shortcut, tap)) }
    }

    /// The first view that can have the focus inside the place where a focus state asks for it.
    private var focused: Place? {
        for claim in focusClaims where claim.isActive {
            if let place = focusables.first(where: { $0.isInside(claim.place) }) { return place }
        }
        return nil
    }

    /// Gives a key to the views around the focus, innermost first, then to the shortcuts.
    func press(_ key: KeyEquivalent, _ modifiers: EventModifiers) -> Bool {
        let press = KeyPress(phase: .down, key: key, characters: String(key.character), modifiers: modifiers)
        if let focused {
            let around = keyHandlers.filter { focused.isInside($0.place) }.sorted {
                $0.place.steps.count > $1.place.steps.count
            }
            for handler in around {
                let result = Journal.$current.withValue(journal) { handler.handler(press) }
                if result == .handled { return true }
            }
        }
        guard let shortcut = shortcuts.first(where: { $0.shortcut == KeyboardShortcut(key, modifiers: modifiers) }) else {
            return false
        }
        shortcut.tap()
        return true
    }
}

extension Shown {
    /// The same where a touch does nothing.
    var untouchable: Shown {
        var copy = self
        (copy.tap, copy.set, copy.submit, copy.actions) = (nil, nil, nil, [])
        copy.children = children.map(\.untouchable)
        return copy
    }
}
