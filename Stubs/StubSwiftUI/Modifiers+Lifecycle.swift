extension View {
    /// Tells what appears for each element that this view became: a modifier on a group counts for each of its views.
    private func appearing(_ appearance: @escaping (Int) -> Evaluation.Appearance) -> some View {
        changed { elements, context in
            for index in elements.indices { context.evaluation.add(appearance(index), at: context.at(index).place) }
        }
    }

    // developer.apple.com/documentation/swiftui/view/onappear(perform:), iOS 13.
    public func onAppear(perform action: (() -> Void)? = nil) -> some View {
        appearing { _ in .init(appear: { action?() }) }
    }

    // developer.apple.com/documentation/swiftui/view/ondisappear(perform:), iOS 13.
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View {
        appearing { _ in .init(disappear: { action?() }) }
    }

    // developer.apple.com/documentation/swiftui/view/task(priority:_:), iOS 15.
    public func task(
        priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View {
        appearing { _ in .init(task: (AnyHashable(true), priority, action)) }
    }

    // developer.apple.com/documentation/swiftui/view/task(id:priority:_:), iOS 15.
    public func task<T: Equatable>(
        id value: T, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: @escaping @Sendable () async -> Void
    ) -> some View {
        changed { elements, context in
            // An equatable value has no hash: the count of its changes stands for it.
            let count = context.evaluation.changeCount(of: value, at: context.at("id").place)
            for index in elements.indices {
                context.evaluation.add(.init(task: (AnyHashable(count), priority, action)), at: context.at(index).place)
            }
        }
    }

    // developer.apple.com/documentation/swiftui/view/onchange(of:initial:_:)-4psgg, iOS 17.
    public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some View {
        changed { elements, context in
            guard !elements.isEmpty else { return }
            context.evaluation.watch(value, at: context.place, initial: initial, isSame: { $0 == $1 }, action)
        }
    }

    // developer.apple.com/documentation/swiftui/view/onchange(of:initial:_:)-8wgw9, iOS 17.
    public func onChange<V: Equatable>(of value: V, initial: Bool = false, _ action: @escaping () -> Void) -> some View {
        onChange(of: value, initial: initial) { _, _ in action() }
    }

    // developer.apple.com/documentation/swiftui/view/refreshable(action:), iOS 15.
    public func refreshable(action: @escaping @Sendable () async -> Void) -> some View {
        around { content, context in
            var context = context
            context.environment.refresh = RefreshAction(action: action)
            return shownElements(of: content, in: context)
        }
    }

    // developer.apple.com/documentation/swiftui/view/onsubmit(of:_:), iOS 15.
    public func onSubmit(of triggers: SubmitTriggers = .text, _ action: @escaping () -> Void) -> some View {
        around { content, context in
            var context = context
            context.environment.submit.append { if triggers.contains($0) { action() } }
            return shownElements(of: content, in: context)
        }
    }

    // developer.apple.com/documentation/swiftui/view/submitlabel(_:), iOS 15.
    public func submitLabel(_ submitLabel: SubmitLabel) -> some View { noting("submitLabel", submitLabel.fact) }

    // developer.apple.com/documentation/swiftui/view/ontapgesture(count:perform:), iOS 13.
    public func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View {
        eachChanged { element, context in
            element.facts.append(.init("onTapGesture", count == 1 ? "" : "\(count)"))
            if element.tap == nil, context.environment.isEnabled { element.tap = context.evaluation.performing { action() } }
        }
    }

    // developer.apple.com/documentation/swiftui/view/onopenurl(perform:), iOS 14. No link reaches a host.
    public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View { changed { _, _ in } }
}

// MARK: Focus and keys

extension View {
    // developer.apple.com/documentation/swiftui/view/focused(_:equals:), iOS 15.
    public func focused<Value: Hashable>(_ binding: FocusState<Value>.Binding, equals value: Value) -> some View {
        claimingFocus({ binding.wrappedValue == value }, giveUp: { binding.wrappedValue = binding.initial })
    }

    // developer.apple.com/documentation/swiftui/view/focused(_:), iOS 15.
    public func focused(_ condition: FocusState<Bool>.Binding) -> some View {
        claimingFocus({ condition.wrappedValue }, giveUp: { condition.wrappedValue = false })
    }

    private func claimingFocus(_ isActive: @escaping () -> Bool, giveUp: @escaping @MainActor () -> Void) -> some View {
        around { content, context in
            var context = context
            context.environment.isFocused = isActive()
            context.evaluation.addFocusClaim(.init(place: context.place, isActive: isActive(), giveUp: giveUp))
            var elements = shownElements(of: content, in: context)
            if isActive() { for index in elements.indices { elements[index].facts.append(.init("focused")) } }
            return elements
        }
    }

    // developer.apple.com/documentation/swiftui/view/focusable(_:), iOS 17, macOS 12.
    public func focusable(_ isFocusable: Bool = true) -> some View {
        changed { elements, context in
            if isFocusable, !elements.isEmpty { context.evaluation.addFocusable(context.place) }
        }
    }

    // developer.apple.com/documentation/swiftui/view/focuseffectdisabled(_:), iOS 17, macOS 14.
    public func focusEffectDisabled(_ disabled: Bool = true) -> some View { changed { _, _ in } }

    // developer.apple.com/documentation/swiftui/view/accessibilityfocused(_:equals:), iOS 15.
    public func accessibilityFocused<Value: Hashable>(
        _ binding: AccessibilityFocusState<Value>.Binding, equals value: Value
    ) -> some View {
        eachChanged { element, _ in if binding.wrappedValue == value { element.facts.append(.init("accessibilityFocused")) } }
    }

    // developer.apple.com/documentation/swiftui/view/accessibilityfocused(_:), iOS 15.
    public func accessibilityFocused(_ condition: AccessibilityFocusState<Bool>.Binding) -> some View {
        eachChanged { element, _ in if condition.wrappedValue { element.facts.append(.init("accessibilityFocused")) } }
    }

    private func hearing(_ handler: @escaping @MainActor (KeyPress) -> KeyPress.Result) -> some View {
        changed { elements, context in
            if !elements.isEmpty { context.evaluation.addKeyHandler(at: context.place, handler) }
        }
    }

    // developer.apple.com/documentation/swiftui/view/onkeypress(_:action:) and the others, iOS 17.
    public func onKeyPress(_ key: KeyEquivalent, action: @escaping () -> KeyPress.Result) -> some View {
        hearing { $0.key == key ? action() : .ignored }
    }

    public func onKeyPress(
        _ key: KeyEquivalent, phases: KeyPress.Phases, action: @escaping (KeyPress) -> KeyPress.Result
    ) -> some View {
        hearing { $0.key == key && phases.contains($0.phase) ? action($0) : .ignored }
    }

    public func onKeyPress(
        keys: Set<KeyEquivalent>, phases: KeyPress.Phases = [.down, .repeat],
        action: @escaping (KeyPress) -> KeyPress.Result
    ) -> some View {
        hearing { keys.contains($0.key) && phases.contains($0.phase) ? action($0) : .ignored }
    }

    public func onKeyPress(
        characters: CharacterSet, phases: KeyPress.Phases = [.down, .repeat],
        action: @escaping (KeyPress) -> KeyPress.Result
    ) -> some View {
        hearing {
            $0.characters.unicodeScalars.allSatisfy(characters.contains) && phases.contains($0.phase) ? action($0) : .ignored
        }
    }

    public func onKeyPress(
        phases: KeyPress.Phases = [.down, .repeat], action: @escaping (KeyPress) -> KeyPress.Result
    ) -> some View {
        hearing { phases.contains($0.phase) ? action($0) : .ignored }
    }

    // developer.apple.com/documentation/swiftui/view/onexitcommand(perform:) is macOS and tvOS: PlatformSpecific.swift.

    private func shortcut(_ shortcut: KeyboardShortcut?) -> some View {
        eachChanged { element, context in
            guard let shortcut else { return }
            element.facts.append(.init("keyboardShortcut", shortcut.fact))
            if let tap = element.all.first(where: { $0.tap != nil })?.tap { context.evaluation.addShortcut(shortcut, tap) }
        }
    }

    // developer.apple.com/documentation/swiftui/view/keyboardshortcut(_:), iOS 14; with nil since iOS 15.4.
    public func keyboardShortcut(_ shortcut: KeyboardShortcut) -> some View { self.shortcut(shortcut) }
    public func keyboardShortcut(_ shortcut: KeyboardShortcut?) -> some View { self.shortcut(shortcut) }
    public func keyboardShortcut(_ key: KeyEquivalent, modifiers: EventModifiers = .command) -> some View {
        self.shortcut(KeyboardShortcut(key, modifiers: modifiers))
    }
}
