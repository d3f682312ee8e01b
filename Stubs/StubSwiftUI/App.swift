public import Observation

// developer.apple.com/documentation/swiftui/app, iOS 14.
@MainActor @preconcurrency public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Self.Body { get }
    @MainActor @preconcurrency init()
}

extension App {
    // developer.apple.com/documentation/swiftui/app/main(), iOS 14.
    @MainActor @preconcurrency public static func main() { fatalError("The stand-in runs no apps: a test shows their views") }
}

// developer.apple.com/documentation/swiftui/scene, iOS 14.
@MainActor @preconcurrency public protocol Scene {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Self.Body { get }
}

extension Never: Scene {}

extension Scene where Body == Never {
    public var body: Never { fatalError("\(Self.self) has no body") }
}

// developer.apple.com/documentation/swiftui/scenebuilder, iOS 14.
@resultBuilder public struct SceneBuilder {
    public static func buildExpression<Content: Scene>(_ content: Content) -> Content { content }
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
    @MainActor public static func buildBlock<each Content: Scene>(_ content: repeat each Content) -> some Scene {
        var parts: [any Scene] = []
        for part in repeat each content { parts.append(part) }
        return _Scenes(parts: parts)
    }
}

public struct _Scenes: Scene {
    public typealias Body = Never
    let parts: [any Scene]
}

// developer.apple.com/documentation/swiftui/windowgroup, iOS 14.
public struct WindowGroup<Content: View>: Scene {
    public typealias Body = Never
    /// What a window shows; a test makes a host of it.
    let content: Content

    public init(@ViewBuilder content: () -> Content) { self.content = content() }
    public init(id: String, @ViewBuilder content: () -> Content) { self.content = content() }
    public init(_ titleKey: LocalizedStringKey, @ViewBuilder content: () -> Content) { self.content = content() }
    @_disfavoredOverload public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {
        self.content = content()
    }
}

extension Scene {
    // developer.apple.com/documentation/swiftui/scene/windowresizability(_:), iOS 17, macOS 13.
    public func windowResizability(_ resizability: WindowResizability) -> some Scene { self }
    // developer.apple.com/documentation/swiftui/scene/defaultsize(width:height:), iOS 17, macOS 13.
    public func defaultSize(width: CGFloat, height: CGFloat) -> some Scene { self }
    // developer.apple.com/documentation/swiftui/scene/environment(_:), iOS 17.
    public func environment<T: AnyObject & Observable>(_ object: T?) -> some Scene { self }
    // developer.apple.com/documentation/swiftui/scene/onchange(of:initial:_:), iOS 17.
    public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping (_ oldValue: V, _ newValue: V) -> Void
    ) -> some Scene { self }
    public func onChange<V: Equatable>(of value: V, initial: Bool = false, _ action: @escaping () -> Void) -> some Scene {
        self
    }
}

// developer.apple.com/documentation/swiftui/windowresizability, iOS 17, macOS 13.
public struct WindowResizability: Sendable {
    public static let automatic = WindowResizability()
    public static let contentSize = WindowResizability()
    public static let contentMinSize = WindowResizability()
}

// developer.apple.com/documentation/swiftui/previewprovider, iOS 13.
@MainActor @preconcurrency public protocol PreviewProvider {
    associatedtype Previews: View
    @ViewBuilder @MainActor @preconcurrency static var previews: Self.Previews { get }
}

extension View {
    // developer.apple.com/documentation/swiftui/view/previewdisplayname(_:), iOS 13.
    public func previewDisplayName(_ value: String?) -> some View { changed { _, _ in } }
}
