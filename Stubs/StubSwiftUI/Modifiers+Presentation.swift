extension View {
    /// Shows a screen over everything while there is a value.
    func presenting<Item>(
        _ kind: Shown.Kind, canBeSwipedAway: Bool, item: @escaping @MainActor () -> Item?,
        identity: @escaping @MainActor (Item) -> AnyHashable,
        dismiss: @escaping @MainActor () -> Void, onDismiss: (() -> Void)?,
        content: @escaping @MainActor (Item, Context) -> [Shown]
    ) -> some View {
        changed { elements, context in
            guard !elements.isEmpty else { return }
            let evaluation = context.evaluation
            evaluation.watch(item() != nil, at: context.at("presented").place, initial: false, isSame: ==) { _, isShown in
                if !isShown { onDismiss?() }
            }
            guard let value = item() else { return }
            evaluation.present(dismiss: dismiss, canBeSwipedAway: canBeSwipedAway) {
                var inner = context.at("sheet").at(identity(value))
                inner.environment.dismiss = DismissAction(action: dismiss)
                inner.environment.isPresented = true
                inner.environment.submit = []
                // A sheet has the environment of the view that shows it, and is no part of the stack around that.
                let navigations = evaluation.navigations
                evaluation.navigations = []
                defer { evaluation.navigations = navigations }
                let children = content(value, inner)
                let facts = children.flatMap(\.facts).filter { Shown.ofPresentations.contains($0.name) }
                return Shown(kind, facts: facts, children: children)
            }
        }
    }

    // developer.apple.com/documentation/swiftui/view/sheet(ispresented:ondismiss:content:), iOS 13.
    public func sheet<Content: View>(
        isPresented: Binding<Bool>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping () -> Content
    ) -> some View {
        presenting(
            .sheet, canBeSwipedAway: true, item: { isPresented.wrappedValue ? true : nil }, identity: { AnyHashable($0) },
            dismiss: { isPresented.wrappedValue = false }, onDismiss: onDismiss
        ) { shownElements(of: content(), in: $1) }
    }

    // developer.apple.com/documentation/swiftui/view/sheet(item:ondismiss:content:), iOS 13.
    public func sheet<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil, @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View {
        presenting(
            .sheet, canBeSwipedAway: true, item: { item.wrappedValue }, identity: { AnyHashable($0.id) },
            dismiss: { item.wrappedValue = nil }, onDismiss: onDismiss
        ) { shownElements(of: content($0), in: $1) }
    }

    /// An alert or a dialog: its buttons end it, and the system adds one where there is none to leave it.
    func asking<A: View, M: View>(
        _ kind: Shown.Kind, _ title: Text, isTitleShown: Bool = true, isPresented: @escaping @MainActor () -> Bool,
        dismiss: @escaping @MainActor () -> Void, actions: @escaping () -> A, message: @escaping () -> M
    ) -> some View {
        changed { elements, context in
            guard !elements.isEmpty, isPresented() else { return }
            let evaluation = context.evaluation
            evaluation.present(dismiss: dismiss, canBeSwipedAway: false) {
                var inner = context.at("question")
                inner.environment.isEnabled = true
                inner.environment.buttonStyle = nil
                var buttons = shownElements(of: actions(), in: inner.at("actions")).map { $0.ending(dismiss, evaluation) }
                let needsButton =
                    kind == .alert
                    ? !buttons.contains { $0.kind == .button } : !buttons.contains { $0.value("role") == "cancel" }
                if needsButton {
                    var button = Shown(
                        .button, facts: kind == .alert ? [] : [.init("role", "cancel")],
                        children: [Shown(.text, kind == .alert ? "OK" : "Cancel")])
                    button.tap = evaluation.performing(dismiss)
                    buttons.append(button)
                }
                let message = shownElements(of: message(), in: inner.at("message"))
                return Shown(kind, isTitleShown ? title.content : "", children: message + buttons)
            }
        }
    }

    // developer.apple.com/documentation/swiftui/view/alert(_:ispresented:actions:message:) and its like, iOS 15.
    public func alert<A: View>(
        _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A
    ) -> some View {
        alert(Text(titleKey), isPresented: isPresented, actions: actions)
    }
    @_disfavoredOverload public func alert<S: StringProtocol, A: View>(
        _ title: S, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A
    ) -> some View { alert(Text(title), isPresented: isPresented, actions: actions) }
    public func alert<A: View>(_ title: Text, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A) -> some View {
        alert(title, isPresented: isPresented, actions: actions, message: { EmptyView() })
    }
    public func alert<A: View, M: View>(
        _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M
    ) -> some View { alert(Text(titleKey), isPresented: isPresented, actions: actions, message: message) }
    @_disfavoredOverload public func alert<S: StringProtocol, A: View, M: View>(
        _ title: S, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M
    ) -> some View { alert(Text(title), isPresented: isPresented, actions: actions, message: message) }
    public func alert<A: View, M: View>(
        _ title: Text, isPresented: Binding<Bool>, @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M
    ) -> some View {
        let (actions, message) = (actions(), message())
        return asking(
            .alert, title, isPresented: { isPresented.wrappedValue }, dismiss: { isPresented.wrappedValue = false },
            actions: { actions }, message: { message })
    }
    public func alert<A: View, M: View, T>(
        _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, presenting data: T?,
        @ViewBuilder actions: (T) -> A, @ViewBuilder message: (T) -> M
    ) -> some View {
        let (actions, message) = (data.map(actions), data.map(message))
        return asking(
            .alert, Text(titleKey), isPresented: { isPresented.wrappedValue && data != nil },
            dismiss: { isPresented.wrappedValue = false }, actions: { actions }, message: { message })
    }
    @_disfavoredOverload public func alert<S: StringProtocol, A: View, M: View, T>(
        _ title: S, isPresented: Binding<Bool>, presenting data: T?,
        @ViewBuilder actions: (T) -> A, @ViewBuilder message: (T) -> M
    ) -> some View {
        let (actions, message) = (data.map(actions), data.map(message))
        return asking(
            .alert, Text(title), isPresented: { isPresented.wrappedValue && data != nil },
            dismiss: { isPresented.wrappedValue = false }, actions: { actions }, message: { message })
    }

    // developer.apple.com/documentation/swiftui/view/confirmationdialog(_:ispresented:titlevisibility:actions:message:), iOS
    // 15.
    public func confirmationDialog<A: View>(
        _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> A
    ) -> some View {
        confirmationDialog(Text(titleKey), isPresented: isPresented, titleVisibility: titleVisibility, actions: actions)
    }
    @_disfavoredOverload public func confirmationDialog<S: StringProtocol, A: View>(
        _ title: S, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic, @ViewBuilder actions: () -> A
    ) -> some View {
        confirmationDialog(Text(title), isPresented: isPresented, titleVisibility: titleVisibility, actions: actions)
    }
    public func confirmationDialog<A: View>(
        _ title: Text, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic, @ViewBuilder actions: () -> A
    ) -> some View {
        confirmationDialog(
            title, isPresented: isPresented, titleVisibility: titleVisibility, actions: actions, message: { EmptyView() })
    }
    public func confirmationDialog<A: View, M: View>(
        _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M
    ) -> some View {
        confirmationDialog(
            Text(titleKey), isPresented: isPresented, titleVisibility: titleVisibility, actions: actions, message: message)
    }
    @_disfavoredOverload public func confirmationDialog<S: StringProtocol, A: View, M: View>(
        _ title: S, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M
    ) -> some View {
        confirmationDialog(
            Text(title), isPresented: isPresented, titleVisibility: titleVisibility, actions: actions, message: message)
    }
    public func confirmationDialog<A: View, M: View>(
        _ title: Text, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        @ViewBuilder actions: () -> A, @ViewBuilder message: () -> M
    ) -> some View {
        let (actions, message) = (actions(), message())
        return asking(
            .dialog, title, isTitleShown: titleVisibility != .hidden, isPresented: { isPresented.wrappedValue },
            dismiss: { isPresented.wrappedValue = false }, actions: { actions }, message: { message })
    }

    // developer.apple.com/documentation/swiftui/view/confirmationdialog(_:ispresented:titlevisibility:presenting:…), iOS 15.
    public func confirmationDialog<A: View, M: View, T>(
        _ titleKey: LocalizedStringKey, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        presenting data: T?,
        @ViewBuilder actions: (T) -> A, @ViewBuilder message: (T) -> M
    ) -> some View {
        presentingDialog(Text(titleKey), isPresented, titleVisibility, data, data.map(actions), data.map(message))
    }
    @_disfavoredOverload public func confirmationDialog<S: StringProtocol, A: View, M: View, T>(
        _ title: S, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic, presenting data: T?,
        @ViewBuilder actions: (T) -> A, @ViewBuilder message: (T) -> M
    ) -> some View {
        presentingDialog(Text(title), isPresented, titleVisibility, data, data.map(actions), data.map(message))
    }
    public func confirmationDialog<A: View, M: View, T>(
        _ title: Text, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic, presenting data: T?,
        @ViewBuilder actions: (T) -> A, @ViewBuilder message: (T) -> M
    ) -> some View {
        presentingDialog(title, isPresented, titleVisibility, data, data.map(actions), data.map(message))
    }

    private func presentingDialog<A: View, M: View, T>(
        _ title: Text, _ isPresented: Binding<Bool>, _ visibility: Visibility, _ data: T?, _ actions: A?, _ message: M?
    ) -> some View {
        asking(
            .dialog, title, isTitleShown: visibility != .hidden, isPresented: { isPresented.wrappedValue && data != nil },
            dismiss: { isPresented.wrappedValue = false }, actions: { actions }, message: { message })
    }

    // developer.apple.com/documentation/swiftui/view/interactivedismissdisabled(_:), iOS 15.
    public func interactiveDismissDisabled(_ isDisabled: Bool = true) -> some View {
        eachChanged { element, _ in if isDisabled { element.facts.append(.init("interactiveDismissDisabled")) } }
    }

    // developer.apple.com/documentation/swiftui/view/presentationdetents(_:), iOS 16.
    public func presentationDetents(_ detents: Set<PresentationDetent>) -> some View {
        noting("presentationDetents", detents.map(\.fact).sorted().joined(separator: ", "))
    }

    // developer.apple.com/documentation/swiftui/view/presentationdragindicator(_:), iOS 16.
    public func presentationDragIndicator(_ visibility: Visibility) -> some View {
        noting("presentationDragIndicator", "\(visibility)")
    }

    // developer.apple.com/documentation/swiftui/view/presentationbackground(_:), iOS 16.4.
    public func presentationBackground<S: ShapeStyle>(_ style: S) -> some View { noting("presentationBackground", style._fact) }

    // developer.apple.com/documentation/swiftui/view/presentationcornerradius(_:), iOS 16.4.
    public func presentationCornerRadius(_ cornerRadius: CGFloat?) -> some View {
        noting("presentationCornerRadius", cornerRadius.map(plain) ?? "none")
    }

    // developer.apple.com/documentation/swiftui/view/contextmenu(menuitems:), iOS 13.
    public func contextMenu<MenuItems: View>(@ViewBuilder menuItems: () -> MenuItems) -> some View {
        let items = menuItems()
        return eachChanged { element, context in
            var inner = context.at("contextMenu")
            inner.environment.buttonStyle = nil
            let children = shownElements(of: items, in: inner)
            if !children.isEmpty { element.children.append(Shown(.group, facts: [.init("contextMenu")], children: children)) }
        }
    }

    // developer.apple.com/documentation/swiftui/view/swipeactions(edge:allowsfullswipe:content:), iOS 15.
    public func swipeActions<T: View>(
        edge: HorizontalEdge = .trailing, allowsFullSwipe: Bool = true, @ViewBuilder content: () -> T
    ) -> some View {
        let items = content()
        return eachChanged { element, context in
            var inner = context.at("swipeActions")
            inner.environment.buttonStyle = nil
            let children = shownElements(of: items, in: inner)
            let facts: [Shown.Fact] =
                [.init("swipeActions", "\(edge)")] + (allowsFullSwipe ? [] : [.init("fullSwipe", "off")])
            if !children.isEmpty { element.children.append(Shown(.group, facts: facts, children: children)) }
        }
    }
}

extension Shown {
    /// The facts about a sheet that its content says.
    static let ofPresentations: Set<String> = [
        "interactiveDismissDisabled", "presentationDetents", "presentationDragIndicator", "presentationBackground",
        "presentationCornerRadius",
    ]

    /// The same, with buttons that end what they stand in after their action.
    func ending(_ dismiss: @escaping @MainActor () -> Void, _ evaluation: Evaluation) -> Shown {
        var copy = self
        if kind == .button, let tap {
            copy.tap = {
                tap()
                evaluation.running(dismiss)
            }
        } else {
            copy.children = children.map { $0.ending(dismiss, evaluation) }
        }
        return copy
    }
}
