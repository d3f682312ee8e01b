/// A view that turns into elements itself, without a body.
@MainActor protocol Primitive {
    func elements(in context: Context) -> [Shown]
}

/// Where a view stands and what reaches it there.
@MainActor struct Context {
    /// What this evaluation has met so far.
    let evaluation: Evaluation
    /// The way from the root: position in a builder, branch of an `if`, identity in a `ForEach`. State is kept by it.
    var place: Place
    var environment: EnvironmentValues

    /// The same one step further.
    func at(_ step: some Hashable) -> Context {
        var context = self
        context.place.steps.append(Step(step))
        return context
    }
}

/// The way from the root of a tree of views to one of them.
struct Place: Hashable {
    var steps: [Step] = []

    /// Whether this place is the other one, or stands in it.
    func isInside(_ other: Place) -> Bool { steps.starts(with: other.steps) }
}

/// One step of the way.
struct Step: Hashable {
    let value: AnyHashable
    init(_ value: some Hashable) { self.value = AnyHashable(value) }
}

/// The elements that a view becomes. A body is evaluated with its state and environment connected.
@MainActor func shownElements<V: View>(of view: V, in context: Context) -> [Shown] {
    if let primitive = view as? any Primitive { return primitive.elements(in: context) }
    let inner = context.at("body")
    var view = view
    connect(&view, in: inner)
    return shownElements(of: view.body, in: inner)
}

/// One element, for places that show one: several stand in a group.
@MainActor func shownElement<V: View>(of view: V, in context: Context) -> Shown {
    let elements = shownElements(of: view, in: context)
    return elements.count == 1 ? elements[0] : Shown(.group, children: elements)
}

/// A view that is changed by one of the modifiers.
struct Modified<Content: View>: View, Primitive {
    typealias Body = Never
    let content: Content
    let change: (Content, Context) -> [Shown]

    func elements(in context: Context) -> [Shown] { change(content, context.at("modified")) }
}

extension View {
    /// Evaluates this view in its own way.
    func around(_ change: @escaping (Self, Context) -> [Shown]) -> some View { Modified(content: self, change: change) }

    /// Changes the elements that this view became.
    func changed(_ change: @escaping (inout [Shown], Context) -> Void) -> some View {
        around { content, context in
            var elements = shownElements(of: content, in: context)
            change(&elements, context)
            return elements
        }
    }

    /// Changes each element that this view became.
    func eachChanged(_ change: @escaping (inout Shown, Context) -> Void) -> some View {
        changed { elements, context in
            for index in elements.indices { change(&elements[index], context) }
        }
    }

    /// Says something about each element that this view became.
    func noting(_ name: String, _ value: String = "") -> some View {
        eachChanged { element, _ in element.facts.append(.init(name, value)) }
    }

    /// Says something, and passes it down.
    func passing(
        _ name: String, _ value: String = "", _ change: @escaping (inout EnvironmentValues) -> Void
    ) -> some View {
        around { content, context in
            var context = context
            change(&context.environment)
            var elements = shownElements(of: content, in: context)
            for index in elements.indices { elements[index].facts.append(.init(name, value)) }
            return elements
        }
    }
}

/// A number as a reader writes it: without a fraction that is nothing.
func plain(_ number: Double) -> String {
    if number == .infinity { return "infinity" }
    return number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
}

/// A length or a factor as a reader writes it.
func plain(_ number: CGFloat) -> String { plain(Double(number)) }
