/// What a view shows: a tree of elements, each with what was said about it by modifiers. `ViewHost` makes it.
///
/// It is what tests read, what `scripts/screens` writes as text, and what the drawings are made of.
@MainActor public struct Shown {
    /// The kinds of elements.
    public enum Kind: String, Sendable {
        // Containers. Their children follow in reading order, which for a screen from right to left is drawn mirrored.
        case vertical, horizontal, depth, grid, gridRow, scroll, list, section, form, navigation, group
        // Leaves.
        case text, symbol, color, divider, spacer, progress, shape
        // Controls. A button's label, a toggle's label and a link's label are their children.
        case button, toggle, secureField, textField, menu
        // What stands over everything else: children are its contents.
        case sheet, cover, alert, dialog
    }

    /// One thing that a modifier or an initialiser said: `font` `title2`, `padding` `16`, `disabled`.
    ///
    /// Some are no modifiers. What an initialiser said: `alignment`, `spacing`, `columns`, `role`, `isOn`, `value` (a field's
    /// content or the part that is done), `prompt`. What a group is for: `background`, `overlay`, `header`, `footer`,
    /// `toolbar`, `items` (of a menu), `contextMenu`, `swipeActions`, `safeAreaInset`, `tabView`, `tabs`, `groupBox`. What a
    /// container or control is: `label`, `labeledContent`, `contentUnavailableView`, `navigationLink`, `link`, `back`,
    /// `picker`, `isSelected`. And `layoutDirection`, `colorScheme` and others where `environment(_:_:)` made them differ
    /// from around them.
    public struct Fact: Hashable, Sendable {
        /// The name, which is the modifier's in SwiftUI: `font`, `foregroundStyle`, `buttonStyle`, `accessibilityLabel`.
        public let name: String
        /// The value as text; empty for facts that have none, such as `disabled`.
        public let value: String

        /// Makes a fact.
        public init(_ name: String, _ value: String = "") { (self.name, self.value) = (name, value) }
    }

    /// What it is.
    public var kind: Kind
    /// The text that it shows, a field's title, an alert's title, or the symbol's, colour's or shape's name; empty for
    /// containers.
    public var text = ""
    /// What was said about it, the innermost modifier first. `background` and `overlay` with the value `view` keep the place
    /// of what the child of that name shows. A modifier of a view stands at the element that the view became, and what the
    /// environment passes down (font, tint, disabled) stands where it was said alone.
    public var facts: [Fact] = []
    /// What stands in it, in reading order. What `background` and `overlay` add are a child of kind `group` with the fact
    /// `background` or `overlay`, before or after the others.
    public var children: [Shown] = []
    /// What a tap does; nil where a tap does nothing, as where it is disabled.
    public var tap: (@MainActor () -> Void)?
    /// Moves a toggle, or types into a field; nil where it is none.
    public var set: (@MainActor (String) -> Void)?
    /// What the return key of the keyboard does in a field; nil where it does nothing.
    public var submit: (@MainActor () -> Void)?
    /// What VoiceOver offers beside a tap, by its name: `accessibilityAction`.
    public var actions: [(name: String, perform: @MainActor () -> Void)] = []
    /// What `tag` said, for the choices of a picker and the tabs of a tab view.
    var tag: AnyHashable?

    /// Makes an element.
    public init(_ kind: Kind, _ text: String = "", facts: [Fact] = [], children: [Shown] = []) {
        (self.kind, self.text, self.facts, self.children) = (kind, text, facts, children)
    }

    /// The value of the outermost fact of a name; nil where there is none.
    public func value(_ name: String) -> String? { facts.last { $0.name == name }?.value }
}
