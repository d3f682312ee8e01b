#if canImport(SwiftUI)
import SwiftUI
import ThumbturnCore

extension View {
    /// Has VoiceOver speak messages when others come, since the person's focus is elsewhere: one announcement for all of them. A
    /// message that only counts on is not spoken again, and what a lock hides is not spoken.
    func announcing(_ messages: PersonMessage?...) -> some View { modifier(Announcing(messages: messages.compactMap(\.self))) }
}

private struct Announcing: ViewModifier {
    let messages: [PersonMessage]
    private var words = Words()
    @Environment(\.isEnabled) private var isEnabled

    init(messages: [PersonMessage]) { self.messages = messages }

    func body(content: Content) -> some View {
        content.onChange(of: messages.map(\.id)) {
            guard isEnabled, !messages.isEmpty else { return }
            AccessibilityNotification.Announcement(messages.map { words($0) }.joined(separator: " ")).post()
        }
    }
}
#endif
