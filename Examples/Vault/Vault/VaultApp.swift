import Foundation
import SwiftUI
import Thumbturn

/// A locked notebook, without a server.
@main struct VaultApp: App {
    @State private var notebook = Notebook(
        platform: platform, folder: FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0])

    // One window, which runs the lock. On iPhone and iPad Info.plist says so.
    var body: some Scene {
        #if os(macOS)
        Window("Notebook", id: "notebook") { NotebookScreen(notebook) }
        #else
        WindowGroup { NotebookScreen(notebook) }
        #endif
    }
}

#if targetEnvironment(simulator)
// A simulator has no Secure Enclave.
private let platform = DevicePlatform.appleWithSoftwareKeys()
#else
private let platform = DevicePlatform.apple()
#endif
