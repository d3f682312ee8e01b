public import SwiftUI

/// Draws a screen from the tree of what its view shows.
///
/// The layout is our own, near to SwiftUI's and not the same: order, proportions and wrapping are right, the pixels are not a
/// device's. Each drawing says below its frame that it is drawn.
@MainActor public enum ScreenDrawing {
    /// What a screen is drawn for.
    public struct Style: Hashable, Sendable {
        /// The system's appearance.
        public enum Appearance: String, Sendable, CaseIterable { case light, dark }
        /// The system's text size: the default, or `accessibility2` of Dynamic Type, which UIKit names accessibility large.
        public enum TextSize: String, Sendable, CaseIterable { case standard, accessibilityLarge }
        /// The device: a phone of 393×852 points, or a Mac's window of 480×360 points.
        public enum Device: String, Sendable, CaseIterable { case phone, mac }

        /// The system's appearance.
        public var appearance: Appearance
        /// Whether the screen is laid out from right to left.
        public var rightToLeft: Bool
        /// The system's text size. macOS has one only.
        public var textSize: TextSize
        /// The device.
        public var device: Device

        /// Makes a style; without arguments it is a phone in light appearance, from left to right, at the default text size.
        public init(
            _ device: Device = .phone, appearance: Appearance = .light, rightToLeft: Bool = false,
            textSize: TextSize = .standard
        ) {
            (self.device, self.appearance, self.rightToLeft, self.textSize) = (device, appearance, rightToLeft, textSize)
        }
    }

    /// The caption below each drawing.
    public nonisolated static let caption = "Drawn from the view’s tree, not photographed"

    /// The drawing of a screen as an SVG document. Equal trees give equal bytes.
    public static func svg(of shown: Shown, style: Style) -> String {
        let screen = Screen(Piece(shown), style)
        return SVG.document(screen)
    }

    /// What a person would stumble over, one line each: texts that are cut or overlap, controls that are too small, elements
    /// outside the screen, contrast that is too low, and controls without a label.
    ///
    /// A line about contrast ends with "(the system’s own colours)" where both colours are the system's. There the system's
    /// setting Increase Contrast helps; where the app chose a colour of its own, it does not.
    public static func findings(in shown: Shown, style: Style) -> [String] {
        Screen(Piece(shown), style).findings
    }
}

/// A copy of an element of the tree, without what a tap does.
struct Piece {
    var kind: Shown.Kind
    var text: String
    var facts: [Shown.Fact]
    var children: [Piece]

    init(_ kind: Shown.Kind, _ text: String = "", facts: [Shown.Fact] = [], children: [Piece] = []) {
        (self.kind, self.text, self.facts, self.children) = (kind, text, facts, children)
    }

    @MainActor init(_ shown: Shown) {
        self.init(shown.kind, shown.text, facts: shown.facts, children: shown.children.map { Piece($0) })
    }

    func value(_ name: String) -> String? { facts.last { $0.name == name }?.value }

    func has(_ name: String) -> Bool { facts.contains { $0.name == name } }

    /// Whether it is a layer that stands over the screen and not a part of it.
    var isLayer: Bool { [.sheet, .cover, .alert, .dialog].contains(kind) }

    /// Whether it is a group that has no look of its own: its children stand in its place.
    var isPlainGroup: Bool {
        kind == .group && !has("groupBox") && !has("tabView") && !has("header") && !has("footer")
            && !children.contains { $0.has("background") || $0.has("overlay") || $0.has("safeAreaInset") }
    }

    /// Whether it is seen only after a tap or a swipe, or in a bar for which something else asks.
    var isAside: Bool {
        isLayer || kind == .group && ["items", "contextMenu", "swipeActions", "toolbar"].contains { has($0) }
    }

    /// What an assistive technology would read for it, in reading order.
    var spoken: String {
        if let label = value("accessibilityLabel") { return label }
        if has("accessibilityHidden"), value("accessibilityHidden") != "false" { return "" }
        let own = kind == .text || kind == .button || kind == .toggle || kind == .menu ? text : ""
        return ([own] + children.filter { !$0.isAside }.map(\.spoken)).filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
