// What every file of an app gets from `import SwiftUI` on Apple's systems, where UIKit and AppKit re-export it.
@_exported public import Foundation

// The stand-in declares the surface that iOS 18, macOS 15 and visionOS 2 share; PlatformSpecific.swift has the rest.
// Modifiers and initialisers that Apple declares `nonisolated` are isolated to the main actor here, which is stricter.

// developer.apple.com/documentation/swiftui/view, iOS 13; on the main actor as a whole since iOS 18's SDK.
@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

// developer.apple.com/documentation/swift/never: a view that draws itself has no body.
extension Never: View {
    public typealias Body = Never
    public var body: Never { fatalError("Never has no body") }
}

extension View where Body == Never {
    public var body: Never { fatalError("\(Self.self) draws itself and has no body") }
}

// developer.apple.com/documentation/swiftui/emptyview, iOS 13.
public struct EmptyView: View, Primitive {
    public typealias Body = Never
    nonisolated public init() {}
    func elements(in context: Context) -> [Shown] { [] }
}

// developer.apple.com/documentation/swiftui/anyview, iOS 13.
public struct AnyView: View, Primitive {
    public typealias Body = Never
    let view: any View

    public init<V: View>(_ view: V) { self.view = (view as? AnyView)?.view ?? view }
    public init<V: View>(erasing view: V) { self.init(view) }

    func elements(in context: Context) -> [Shown] {
        // Another type is another view: its state begins anew.
        shownElements(of: view, in: context.at(String(reflecting: type(of: view))))
    }
}

// developer.apple.com/documentation/swiftui/viewmodifier, iOS 13.
@MainActor @preconcurrency public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = _ViewModifier_Content<Self>
    @ViewBuilder @MainActor @preconcurrency func body(content: Self.Content) -> Self.Body
}

// developer.apple.com/documentation/swiftui/viewmodifier/content, iOS 13.
public struct _ViewModifier_Content<Modifier: ViewModifier>: View, Primitive {
    public typealias Body = Never
    let made: (Context) -> [Shown]

    func elements(in context: Context) -> [Shown] { made(context) }
}

// developer.apple.com/documentation/swiftui/modifiedcontent, iOS 13.
public struct ModifiedContent<Content, Modifier> {
    public typealias Body = Never
    public var content: Content
    public var modifier: Modifier

    nonisolated public init(content: Content, modifier: Modifier) {
        self.content = content
        self.modifier = modifier
    }
}

extension ModifiedContent: View, Primitive where Content: View, Modifier: ViewModifier {
    func elements(in context: Context) -> [Shown] {
        let outer = context.at("modifier")
        var modifier = modifier
        connect(&modifier, in: outer)
        // The content has the environment that the modifier's body gives it, and the place that it would have without it.
        let content = content
        let made = _ViewModifier_Content<Modifier> { shownElements(of: content, in: $0.at("content")) }
        return shownElements(of: modifier.body(content: made), in: outer.at("body"))
    }
}

extension View {
    // developer.apple.com/documentation/swiftui/view/modifier(_:), iOS 13.
    public func modifier<T>(_ modifier: T) -> ModifiedContent<Self, T> { ModifiedContent(content: self, modifier: modifier) }
}
