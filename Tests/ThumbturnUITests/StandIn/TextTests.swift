#if STAND_INS
import SwiftUI
import Testing

/// The text of a tree, which is compared and read as a diff.
@MainActor struct TextTests {
    private func text(_ view: some View) -> String { ViewHost(view).shown.text() }

    @Test("One line for each element, with what was said about it in order") func lines() {
        let view = VStack(alignment: .leading, spacing: 16) {
            Image(systemName: "lock").font(.system(size: 56)).foregroundStyle(.tint).accessibilityHidden(true)
            Text("Unlock Acme").font(.title2.weight(.semibold)).accessibilityAddTraits(.isHeader)
            Divider()
            Spacer(minLength: 24)
            Button("Use PIN") {}.buttonStyle(.bordered).controlSize(.large)
            Button("Off") {}.disabled(true)
            ProgressView("Waiting")
        }
        .padding(.horizontal, 24).frame(maxWidth: .infinity, alignment: .topLeading)
        #expect(
            text(view) == """
                Vertical [alignment leading, spacing 16, padding horizontal 24, frame maxWidth infinity alignment topLeading]
                  Symbol lock [font system 56, foregroundStyle tint, accessibilityHidden]
                  Text "Unlock Acme" [font title2 semibold, accessibilityAddTraits isHeader]
                  Divider
                  Spacer [minLength 24]
                  Button "Use PIN" [buttonStyle bordered, controlSize large]
                  Button "Off" [disabled] (off)
                  Progress
                    Text "Waiting"
                """)
    }

    @Test("Containers that say nothing and have one child are left out, and groups always") func folding() {
        let view = VStack {
            HStack(spacing: 8) { Text("One") }
            Group {
                Text("Two")
                Text("Three")
            }
            ZStack { EmptyView() }
        }
        #expect(
            text(view) == """
                Vertical
                  Text "One"
                  Text "Two"
                  Text "Three"
                  Depth
                """)
    }

    @Test("A control and its label are one line") func labels() {
        let view = Form {
            Button("Unlock", systemImage: "lock") {}
            Button {
            } label: {
                Image(systemName: "delete.left").font(.title2)
            }.accessibilityLabel("Delete")
            Toggle("Biometrics", isOn: .constant(true))
            Label("Caution", systemImage: "exclamationmark.triangle").foregroundStyle(.red)
            LabeledContent("Amount", value: "12 €")
            TextField("Name", text: .constant("Ada"), prompt: Text("Your name"))
            SecureField("PIN", text: .constant("1234"))
            Button {
            } label: {
                VStack {
                    Text("Two")
                    Text("lines")
                }
            }
        }
        #expect(
            text(view) == """
                Form
                  Button "Unlock" [symbol lock]
                  Button [symbol delete.left, font title2, accessibilityLabel Delete]
                  Toggle "Biometrics" [isOn true]
                  Label "Caution" [symbol exclamationmark.triangle, foregroundStyle red]
                  LabeledContent "Amount" "12 €"
                  TextField "Name" [value Ada, prompt Your name]
                  SecureField "PIN" [value ••••]
                  Button
                    Vertical
                      Text "Two"
                      Text "lines"
                """)
    }

    @Test("Sections, sheets and parts are called by what they are") func parts() {
        let view = List {
            Section {
                Text("Row")
            } header: {
                Text("Header")
            } footer: {
                Text("Two\nlines")
            }
        }
        .sheet(isPresented: .constant(true)) { Text("Over").presentationDetents([.medium]) }
        #expect(
            text(view) == """
                List
                  Section
                    Header
                      Text "Header"
                    Text "Row"
                    Footer
                      Text "Two⏎lines"
                Sheet [presentationDetents medium]
                  Text "Over" [presentationDetents medium]
                """)
    }

    @Test("What lies behind or over an element keeps its order with what else is said") func layers() {
        #expect(
            text(Text("1").background { Circle().fill(.blue) }.padding()) == """
                Text "1" [padding]
                  Background
                    Shape circle [fill blue]
                """)
        #expect(
            text(Text("1").padding(12).background { Circle().fill(.blue) }.opacity(0.5)) == """
                Layers [opacity 0.5]
                  Background
                    Shape circle [fill blue]
                  Text "1" [padding 12]
                """)
    }

    @Test("A view that fits is the first, and the last with large text") func fitting() {
        let view = ViewThatFits(in: .vertical) {
            Text("Short")
            ScrollView { Text("Long") }
        }
        #expect(text(view) == "Text \"Short\"")
        #expect(text(view.dynamicTypeSize(.accessibility3)) == "Scroll [dynamicTypeSize accessibility3]\n  Text \"Long\"")
    }

    @Test("A tree is written as its text") func description() {
        let shown = ViewHost(Text("Once")).shown
        #expect("\(shown)" == "Text \"Once\"")
    }
}
#endif
