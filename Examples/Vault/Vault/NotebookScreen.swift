import Foundation
import SwiftUI
import Thumbturn
import ThumbturnUI

/// The root of the app.
struct NotebookScreen: View {
    let notebook: Notebook
    @Environment(\.openURL) private var openURL

    init(_ notebook: Notebook) { self.notebook = notebook }

    var body: some View {
        ZStack {
            switch notebook.stage {
            case .starting: ProgressView()
            case .welcome: Welcome(notebook: notebook)
            case .notes: NoteList(notebook: notebook).appLock(notebook.lock)
            }
        }
        // Without a server there is no sign-in: what cannot be opened is begun anew.
        .messageTexts { message, _ in message.id == "signIn" ? "Start a new notebook" : nil }
        .task { await notebook.start() }
        .onChange(of: notebook.recovery) { _, recovery in
            guard recovery == .openSettings || recovery == .setPasscode else { return }
            openURL(Self.settings)
            notebook.recovery = nil
        }
        .confirmationDialog("Start a new notebook?", isPresented: asksToStartOver, titleVisibility: .visible) {
            Button("Delete the old notes", role: .destructive) { Task { await notebook.startOver() } }
        } message: {
            Text("Nothing opens the old notes: the passcode was removed, or their file is not the last one that was written.")
        }
    }

    private var asksToStartOver: Binding<Bool> {
        Binding(get: { notebook.recovery == .reEnrol }, set: { if !$0 { notebook.recovery = nil } })
    }

    #if os(macOS)
    private static let settings = URL(string: "x-apple.systempreferences:")!
    #else
    private static let settings = URL(string: "app-settings:")!
    #endif
}

/// The first start: what the app does, and the choice whether a face or finger may open it.
private struct Welcome: View {
    let notebook: Notebook

    var body: some View {
        ScrollView {
            VStack(spacing: 16) {
                Image(systemName: "book.closed.fill").font(.largeTitle).foregroundStyle(.tint).accessibilityHidden(true)
                Text("Notebook").font(.largeTitle).accessibilityAddTraits(.isHeader)
                Text("Your notes are sealed on this device. Only you can open them, and they never leave it.")
                if let sensor = notebook.sensor {
                    Text(BiometricOffer.text.naming(sensor).text(in: .english)).foregroundStyle(.secondary)
                    BiometricButton(sensor) { Task { await notebook.begin(withSensor: true) } }.buttonStyle(.borderedProminent)
                    Button("Use the passcode only") { Task { await notebook.begin(withSensor: false) } }
                } else {
                    Button("Start") { Task { await notebook.begin(withSensor: true) } }.buttonStyle(.borderedProminent)
                }
                if let problem = notebook.problem { Text(problem) }
            }
            .multilineTextAlignment(.center).padding(24).frame(maxWidth: 480)
        }
    }
}

private struct NoteList: View {
    let notebook: Notebook
    @State private var path: [Note.ID] = []

    var body: some View {
        NavigationStack(path: $path) {
            List {
                if let problem = notebook.problem { Label(problem, systemImage: "exclamationmark.triangle") }
                if notebook.facesChanged { FacesChanged(notebook: notebook) }
                if notebook.offer.isShown { EnrolmentOfferView(notebook.offer) }
                ForEach(notebook.notes) { note in NavigationLink(note.title, value: note.id) }
                Section {
                    NavigationLink("Settings") { Settings(notebook: notebook) }
                } footer: {
                    if notebook.notes.isEmpty { Text("No notes yet.") }
                }
            }
            .navigationTitle("Notes")
            .navigationDestination(for: Note.ID.self) { id in NoteEditor(notebook: notebook, id: id) }
            .toolbar {
                Button("New note", systemImage: "square.and.pencil") {
                    if let id = notebook.add() { path.append(id) }
                }
            }
            // A face may be enrolled since the first start.
            .task(id: notebook.lock.isLocked) { await notebook.offer.refresh() }
        }
    }
}

/// The question after a face or finger was added or removed.
private struct FacesChanged: View {
    let notebook: Notebook
    var body: some View {
        Section {
            Text("A face or finger was added to this device, or removed. If it was not you, someone knows your passcode.")
            Button("It was me") { Task { await notebook.confirmFaces() } }.disabled(notebook.isConfirming)
            Button("Lock until the passcode is entered", role: .destructive) { Task { await notebook.distrustFaces() } }
        }
    }
}

private struct NoteEditor: View {
    let notebook: Notebook
    let id: Note.ID
    @Environment(\.dismiss) private var dismiss

    var body: some View {
        Form {
            TextField("Note", text: text, axis: .vertical)
        }
        .navigationTitle("Note")
        .toolbar {
            Button("Delete", systemImage: "trash", role: .destructive) {
                notebook.delete(id)
                dismiss()
            }
        }
    }

    private var text: Binding<String> {
        Binding(get: { notebook.text(of: id) }, set: { notebook.write($0, to: id) })
    }
}

private struct Settings: View {
    let notebook: Notebook
    var body: some View {
        Form {
            Section {
                BiometricsToggle(notebook.biometrics)
            } footer: {
                Text("The passcode of this device always opens your notes.")
            }
            Section {
                Button("Lock now") { notebook.lock.lockNow() }
            } footer: {
                Text("Your notes lock one minute after you leave the app.")
            }
        }
        .navigationTitle("Settings")
    }
}
