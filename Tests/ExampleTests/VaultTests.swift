#if STAND_INS
import Foundation
import SwiftUI
import Testing
import Thumbturn
import ThumbturnTestKit
@testable import VaultExample

/// The app Examples/Vault, from its first start to its last screen.
@MainActor @Suite struct VaultTests {
    @Test func theFirstStartExplainsAndOneLookOpensTheNotebook() async throws {
        try await Story.run { story in
            try await story.screen.sees("Your notes are sealed on this device.")
            #expect(story.screen.has("What the sensor sees stays on this device."))
            #expect(story.phone.promptCount == 0)
            try await story.screen.tap("Use Face ID")
            try await story.screen.sees("No notes yet.")
            #expect(story.phone.promptCount == 1)
        }
    }

    @Test func aNoteIsSealedAndComesBackAfterTheLock() async throws {
        try await Story.run { story in
            try await story.begin()
            try await story.write("Buy bread")
            let file = try Data(contentsOf: story.folder.appending(path: SealedNotes.name))
            #expect(file.count > 100 && !String(decoding: file, as: UTF8.self).contains("bread"))

            story.phone.moveToBack()
            await story.screen.pass(.seconds(50))
            story.phone.moveToFront()
            await story.screen.pass(.seconds(1))
            #expect(!story.notebook.lock.isLocked && story.phone.promptCount == 1, "a short absence locks nothing")

            story.phone.moveToBack()
            await story.screen.pass(.seconds(61))
            #expect(story.notebook.lock.isLocked && story.notebook.notes.isEmpty)
            #expect(!story.screen.shown.all.contains { $0.value("value") == "Buy bread" })
            story.phone.moveToFront()
            try await story.isOpen()
            #expect(story.phone.promptCount == 2)
            #expect(story.screen.shown.all.contains { $0.value("value") == "Buy bread" }, "the editor shows it again")
        }
    }

    @Test func theNextStartAsksAtOnceAndReadsTheFile() async throws {
        try await Story.run { story in
            try await story.begin()
            try await story.write("Buy bread")
            try await story.write("Call Ada")
            try story.restart()
            try await story.isOpen()
            try await story.screen.sees("Buy bread")
            #expect(story.notebook.notes.map(\.text) == ["Call Ada", "Buy bread"])
            try await story.screen.tap("Call Ada")
            try await story.screen.tap("Delete")
            try story.restart()
            try await story.isOpen()
            #expect(story.notebook.notes.map(\.text) == ["Buy bread"])
        }
    }

    @Test func aFaceThatIsNotRecognisedLeadsToThePasscode() async throws {
        try await Story.run { story in
            try await story.begin()
            try await story.cancelling { try story.restart() }
            #expect(story.notebook.lock.isLocked)
            try await story.screen.tap("Use passcode")
            try await story.isOpen()
            #expect(story.phone.promptCount == 3)

            try story.restart()
            story.phone.next(.noMatch, .noMatch, .noMatch)
            try await story.isOpen()
            #expect(story.phone.promptCount > 6, "after three mismatches the passcode is asked by itself")
        }
    }

    @Test func aPersonWhoDeclinesTheSensorOpensWithThePasscodeAndCanSwitchItOnLater() async throws {
        try await Story.run { story in
            try await story.screen.tap("Use the passcode only")
            try await story.isOpen()
            #expect(!story.notebook.offer.isShown, "the answer counts")
            try await story.screen.tap("Settings")
            try await story.screen.sees(switchAt: false)
            try await story.screen.move(switchTo: true)
            try await story.screen.sees(switchAt: true)
            #expect(story.phone.promptCount == 2, "the passcode lets the sensor in")
            try await story.screen.move(switchTo: false)
            try await story.screen.sees(switchAt: false)
            #expect(story.phone.promptCount == 2)
        }
    }

    @Test func aFaceThatIsEnrolledLaterIsOffered() async throws {
        try await Story.run { story in
            story.phone.removeFaces()
            try await story.screen.tap("Start")
            try await story.isOpen()
            try await story.screen.sees("You can set up Face ID in Settings.")
            try await story.screen.tap("Open Settings")
            try await story.screen.wait(for: "the settings") { !story.screen.opened.isEmpty }
            story.phone.enrolNewFace()
            try await story.leaveAndReturn()
            // The passcode has opened it, which lets the sensor in.
            try await story.screen.wait(for: "the end of the offer") { !story.notebook.offer.isShown }
            try await story.screen.tap("Settings")
            try await story.screen.sees(switchAt: true)
        }
    }

    @Test func aNewFaceKeepsTheNotesAndIsAskedAbout() async throws {
        try await Story.run { story in
            try await story.openedByPasscode()
            try await story.write("Buy bread")
            try await story.screen.tap("Back")
            story.phone.enrolNewFace()
            try await story.leaveAndReturn()
            try await story.screen.sees("A face or finger was added to this device")
            #expect(story.notebook.notes.map(\.text) == ["Buy bread"])
            // After a cancellation the question stays.
            let prompts = story.phone.promptCount
            story.phone.next(.cancel)
            try await story.screen.tap("It was me")
            try await story.screen.wait(for: "the cancelled prompt") {
                story.phone.promptCount > prompts && !story.notebook.isConfirming
            }
            #expect(story.notebook.facesChanged)
            try await story.screen.tap("It was me")
            try await story.screen.wait(for: "the end of the question") { !story.notebook.facesChanged }
            #expect(!story.screen.has("A face or finger was added to this device"))
        }
    }

    @Test func aStrangersFaceIsLockedOut() async throws {
        try await Story.run { story in
            try await story.openedByPasscode()
            story.phone.enrolNewFace()
            try await story.leaveAndReturn()
            try await story.screen.tap("Lock until the passcode is entered")
            try await story.screen.wait(for: "the lock") { story.notebook.lock.isLocked }
            let prompts = story.phone.promptCount
            try await story.leaveAndReturn(opens: false)
            #expect(story.notebook.lock.isLocked && story.phone.promptCount == prompts, "nothing is asked without a tap")
            try await story.screen.tap("Use passcode")
            try await story.isOpen()
            #expect(!story.notebook.facesChanged)
        }
    }

    @Test func aFileThatWasExchangedOpensNothingAndANewNotebookBegins() async throws {
        try await Story.run { story in
            try await story.begin()
            let file = story.folder.appending(path: SealedNotes.name)
            try await story.write("Buy bread")
            let older = try Data(contentsOf: file)
            try await story.write("Call Ada")
            // The notebook has seen the newer file at its next start, so the older one is refused.
            try story.restart()
            try await story.isOpen()
            try older.write(to: file)
            try story.restart()
            try await story.screen.sees("This can’t be opened here.")
            #expect(story.notebook.lock.isLocked && story.notebook.notes.isEmpty)
            try await story.screen.tap("Start a new notebook")
            try await story.screen.tap("Delete the old notes")
            try await story.screen.sees("Your notes are sealed on this device.")
            #expect(!FileManager.default.fileExists(atPath: file.path))
            try await story.begin()
        }
    }

    @Test func aChangedNumberOpensNothing() async throws {
        try await Story.run { story in
            try await story.begin()
            try await story.write("Buy bread")
            let file = story.folder.appending(path: SealedNotes.name)
            let sealed = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            // The number is readable; the seal covers it.
            let number = try #require(sealed.firstMatch(of: /"revision":\d+/))
            try Data(sealed.replacingCharacters(in: number.range, with: "\"revision\":9").utf8).write(to: file)
            try story.restart()
            try await story.screen.sees("This can’t be opened here.")
        }
    }

    @Test func theSettingsLock() async throws {
        try await Story.run { story in
            try await story.begin()
            try await story.screen.tap("Settings")
            try await story.lockNow()
            #expect(!story.screen.has("Lock now"), "nothing is heard behind the lock")
            try await story.screen.tap("Use Face ID")
            try await story.isOpen()
        }
    }
}

/// A phone with the app, in virtual time.
@MainActor private final class Story {
    let phone: SimulatedPhone
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    private let clock: VirtualClock
    private(set) var notebook: Notebook
    private(set) var screen: Screen

    private init(_ clock: VirtualClock) {
        self.clock = clock
        phone = SimulatedPhone(.iPhone(.face), clock: clock)
        notebook = Notebook(platform: phone.platform(), folder: folder)
        screen = Screen(NotebookScreen(notebook), clock: clock)
    }

    static func run(_ tell: @escaping @MainActor @Sendable (Story) async throws -> Void) async throws {
        try await Screen.run { clock in
            let story = Story(clock)
            defer {
                story.screen.close()
                try? FileManager.default.removeItem(at: story.folder)
            }
            try await tell(story)
        }
    }

    /// The system ends the app, and the person opens it again.
    func restart() throws {
        screen.close()
        phone.killApp()
        notebook = Notebook(platform: phone.platform(), folder: folder)
        screen = Screen(NotebookScreen(notebook), clock: clock)
    }

    func begin() async throws {
        try await screen.tap("Use Face ID")
        try await isOpen()
    }

    /// Opens the notebook with the passcode, so that the app knows whose faces are enrolled.
    func openedByPasscode() async throws {
        try await cancelling { try await screen.tap("Use Face ID") }
        try await screen.tap("Use passcode")
        try await isOpen()
    }

    /// The person cancels the prompt that comes by itself.
    func cancelling(at place: SourceLocation = #_sourceLocation, _ begin: () async throws -> Void) async throws {
        let before = phone.promptCount
        phone.next(.cancel)
        try await begin()
        try await screen.wait(for: "the cancelled prompt", at: place) {
            self.phone.promptCount > before && self.notebook.stage == .notes && !self.notebook.lock.isAsking
        }
    }

    func isOpen(at place: SourceLocation = #_sourceLocation) async throws {
        try await screen.wait(for: "the open notebook", at: place) {
            self.notebook.stage == .notes && !self.notebook.lock.isLocked && !self.notebook.lock.isCovered
        }
    }

    func write(_ text: String) async throws {
        if !screen.shown.all.contains(where: { $0.label == "New note" && $0.tap != nil }) { try await screen.tap("Back") }
        try await screen.tap("New note")
        try await screen.type(text, into: "Note")
    }

    func lockNow() async throws {
        if !screen.shown.all.contains(where: { $0.label == "Lock now" && $0.tap != nil }) { try await screen.tap("Settings") }
        try await screen.tap("Lock now")
        #expect(notebook.lock.isLocked)
    }

    func leaveAndReturn(opens: Bool = true) async throws {
        phone.moveToBack()
        await screen.pass(.seconds(61))
        phone.moveToFront()
        if opens { try await isOpen() } else { await screen.pass(.seconds(2)) }
    }
}
#endif
