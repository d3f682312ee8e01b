import Foundation
public import Gallery
import SwiftUI

/// What is written of every exhibit: one text, and a drawing for each look.
@MainActor public enum Written {
    /// How a drawing looks.
    public struct Look: Sendable {
        /// The ending of the drawing's name, such as `dark`.
        public let name: String
        let style: ScreenDrawing.Style
        let locale: String

        /// Light, dark, from right to left in Arabic, with large text, and on a Mac.
        public static let all: [Look] = [
            Look(name: "light", style: .init(), locale: "en_US"),
            Look(name: "dark", style: .init(appearance: .dark), locale: "en_US"),
            Look(name: "arabic", style: .init(rightToLeft: true), locale: "ar_EG"),
            Look(name: "large", style: .init(textSize: .accessibilityLarge), locale: "de_DE"),
            Look(name: "mac", style: .init(.mac), locale: "en_US"),
        ]

        var environment: EnvironmentValues {
            var values = EnvironmentValues()
            values.locale = Locale(identifier: locale)
            values.layoutDirection = style.rightToLeft ? .rightToLeft : .leftToRight
            values.colorScheme = style.appearance == .dark ? .dark : .light
            values.dynamicTypeSize = style.textSize == .accessibilityLarge ? .accessibility2 : .large
            values.standInIsSmall = style.device == .mac
            return values
        }
    }

    /// The tree of an exhibit as text, in English.
    public static func text(of exhibit: Exhibit) async throws -> String {
        "\(try await Rendering.shown(exhibit, in: Look.all[0].environment))\n"
    }

    /// The drawing of an exhibit in a look, and what a person would stumble over there.
    public static func drawing(of exhibit: Exhibit, as look: Look) async throws -> (svg: String, findings: [String]) {
        let shown = try await Rendering.shown(exhibit, in: look.environment)
        return (ScreenDrawing.svg(of: shown, style: look.style), ScreenDrawing.findings(in: shown, style: look.style))
    }
}
