import Foundation
import SwiftUI
import Thumbturn
import ThumbturnUI

/// The root of the app.
struct BankScreen: View {
    let bank: Bank
    @Environment(\.openURL) private var openURL

    init(_ bank: Bank) { self.bank = bank }

    var body: some View {
        ZStack {
            switch bank.stage {
            case .starting: ProgressView()
            case .welcome: Welcome(bank: bank)
            case .account: AccountScreen(bank: bank).appLock(bank.lock)
            }
        }
        .pinEntry(bank.pinScreen)
        .passwordSheet(bank.passwords)
        .task { await bank.start() }
        .onChange(of: bank.recovery) { _, recovery in
            switch recovery {
            case .openSettings, .setPasscode: openURL(URL(string: "app-settings:")!)
            case .reEnrol: Task { await bank.enrol() }
            case .signInAgain: bank.lock.press(.askAt(.fullCredentials))
            default: break
            }
            bank.recovery = nil
        }
    }
}

private struct Welcome: View {
    let bank: Bank

    var body: some View {
        VStack(spacing: 16) {
            Image(systemName: "building.columns.fill").font(.largeTitle).foregroundStyle(.tint).accessibilityHidden(true)
            Text("The bank").font(.largeTitle).accessibilityAddTraits(.isHeader)
            Text("Sign in once. Afterwards this phone knows you.")
            Button("Sign in") { bank.begin() }.buttonStyle(.borderedProminent)
            if let problem = bank.problem { Text(problem) }
        }
        .multilineTextAlignment(.center)
        .padding(24)
    }
}

private struct AccountScreen: View {
    let bank: Bank
    @State private var approval: Approval?

    var body: some View {
        NavigationStack {
            List {
                if let problem = bank.problem { Label(problem, systemImage: "exclamationmark.triangle") }
                if bank.offer.isShown { EnrolmentOfferView(bank.offer) }
                Section {
                    NavigationLink("Balance") { Text(Configuration.balance).font(.largeTitle).gated(by: bank.balance) }
                }
                Section("Payments to approve") {
                    ForEach(bank.approvals) { approval in
                        Button(approval.details(in: .english).title + ": " + (approval.lines.first?.value ?? "")) {
                            self.approval = approval
                        }
                    }
                    if bank.approvals.isEmpty { Text("None").foregroundStyle(.secondary) }
                }
                Section {
                    NavigationLink("Devices") { DeviceList(bank.devices) }
                    NavigationLink("Settings") { Settings(bank: bank) }
                }
            }
            .navigationTitle(bank.name ?? "The bank")
            .refreshable { await bank.refresh() }
            .task(id: bank.lock.isLocked) { await bank.refresh() }
            // A lock ends the sheet's question, and stands below the sheet.
            .onChange(of: bank.lock.isLocked) { _, isLocked in if isLocked { approval = nil } }
            .sheet(item: $approval, onDismiss: { Task { await bank.refresh() } }) { approval in
                ApprovalSheet(ApprovalSheetModel(approval, for: bank.auth, in: .english))
            }
        }
    }
}

private struct Settings: View {
    let bank: Bank

    var body: some View {
        Form {
            Section {
                if bank.isEnrolled {
                    BiometricsToggle(bank.biometrics)
                    Button("Change the PIN") { Task { await bank.changePIN() } }
                } else {
                    Button("Set up this phone") { Task { await bank.enrol() } }
                }
                if let problem = bank.problem { Text(problem) }
            }
            Section {
                Button("Lock now") { bank.lock.lockNow() }
                Button("Sign out") { Task { await bank.signOut(forgetDevice: false) } }
                Button("Sign out and forget this phone", role: .destructive) { Task { await bank.signOut(forgetDevice: true) } }
            }
        }
        .navigationTitle("Settings")
    }
}
