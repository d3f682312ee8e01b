extension MessageKey {
    /// German, in the formal address.
    func german(_ number: String, _ sensor: SensorWords) -> String {
        switch self {
        case .cancel: "Abbrechen"
        case .useBiometrics: sensor.button
        case .usePasscode: "Gerätecode verwenden"
        case .usePIN: "PIN verwenden"
        case .signIn: "Anmelden"
        case .tryAgain: "Noch einmal"
        case .openSettings: "Einstellungen öffnen"
        case .setUp: "Einrichten"
        case .notNow: "Nicht jetzt"
        case .never: "Nicht mehr fragen"
        case .approve: "Freigeben"
        case .decline: "Nicht freigeben"
        case .remove: "Entfernen"
        case .deleteDigit: "Ziffer löschen"
        case .confirm: "Weiter"
        case .done: "Fertig"

        case .biometricsName: sensor.name
        case .passcodeName: "Gerätecode"
        case .pinName: "PIN"
        case .fullCredentialsName: "Ihr Konto"

        case .hintBiometrics: "Klappt es nicht? Mit \(sensor.with) geht es auch."
        case .hintPasscode: "Klappt es nicht? Der Gerätecode geht auch."
        case .hintPIN: "Klappt es nicht? Ihre PIN geht auch."
        case .hintSignIn: "Klappt es nicht? Die Anmeldung mit Ihrem Konto geht auch."

        case .nowBiometrics: "Versuchen wir es mit \(sensor.with)."
        case .nowPasscode: "Versuchen wir es mit dem Gerätecode."
        case .nowPIN: "Versuchen wir es mit Ihrer PIN."
        case .nowSignIn: "Weiter geht es mit Ihrem Konto."

        case .onceMore: "Versuchen wir es noch einmal."
        case .holdLonger: "Bitte etwas länger."
        case .moveToCentre: "Bitte etwas mehr zur Mitte."
        case .liftAndTouchAgain: "Bitte den Finger heben und noch einmal auflegen."
        case .readAgain: "Bitte noch einmal. \(sensor.advice)"
        case .sensorUnavailable: "Der Sensor ist gerade nicht verfügbar. Es geht auch anders."
        case .noSensor: "Dieses Gerät hat keinen Sensor für Gesicht oder Finger. Es geht auch anders."
        case .sensorForbidden: "Die Verwaltung dieses Geräts lässt den Sensor nicht zu. Es geht auch anders."
        case .sensorTooWeak: "Der Sensor dieses Geräts ist hierfür nicht vorgesehen. Es geht auch anders."
        case .confirmAfterUpdate: "Das System wurde aktualisiert. Bitte einmal auf anderem Weg bestätigen."
        case .lidClosed: "Bitte den Deckel öffnen, um den Sensor zu verwenden."
        case .sensorSwitchedOff: "Der Sensor ist ausgeschaltet. In den Einstellungen lässt er sich einschalten."
        case .sensorLater: "Der Sensor ist gerade nicht verfügbar. Bitte später noch einmal."
        case .permissionNeeded: "In den Einstellungen können Sie \(sensor.object) für diese App erlauben."
        case .biometricsNotSetUp: "In den Einstellungen können Sie \(sensor.object) einrichten."
        case .passcodeNotSet: "Bitte zuerst in den Einstellungen einen Gerätecode festlegen."
        case .sensorRestsUsePasscode: "Der Sensor macht Pause. Ihr Gerätecode schaltet ihn wieder ein."
        case .sensorRestsUsePIN: "Der Sensor macht Pause. Jetzt hilft Ihre PIN; der Gerätecode schaltet den Sensor wieder ein."
        case .sensorRestsSignIn: "Der Sensor macht Pause. Bitte anmelden; der Gerätecode schaltet den Sensor wieder ein."
        case .sensorRestsUntilPIN: "Der Sensor macht Pause. Ihre PIN schaltet ihn wieder ein."
        case .sensorRestsUntilSignIn: "Der Sensor macht Pause. Die Anmeldung mit Ihrem Konto schaltet ihn wieder ein."
        case .sensorRestsFor: "Der Sensor macht Pause. In \(number) ist er wieder da."

        case .enterPIN: "PIN eingeben."
        case .choosePIN: "Bitte eine PIN mit mindestens 6 Ziffern wählen."
        case .pinTriesLeft: "Diese PIN passt nicht. \(number)."
        case .pinPausedFor: "Die PIN macht Pause. In \(number) geht es weiter."
        case .pinEasilyGuessed: "Diese PIN ist leicht zu erraten. Bitte eine andere wählen."
        case .pinUsedUp: "Die PIN ist zu Ihrem Schutz ausgeschaltet. Nach einer Anmeldung können Sie eine neue wählen."
        case .digitsEntered: number

        case .setUpAgain: "Auf diesem Gerät hat sich etwas geändert. Bitte noch einmal einrichten."
        case .setUpThisDevice: "Bitte einmal anmelden, um dieses Gerät einzurichten."
        case .alreadySetUp: "Dieses Gerät ist schon eingerichtet."
        case .unlockDeviceFirst: "Bitte zuerst das Gerät entsperren und dann zurückkommen."
        case .coolingOffFor:
            "Hier geht das in \(number). Auf einem Gerät, das Sie früher eingerichtet haben, geht es jetzt schon."
        case .signedOut: "Sie sind abgemeldet. Bitte wieder anmelden."
        case .signInToGoOn: "Weiter geht es nach der Anmeldung mit Ihrem Konto."

        case .vaultClosed: "Der Tresor ist geschlossen. Zum Weitermachen bitte wieder öffnen."
        case .cannotBeOpenedHere:
            "Das lässt sich hier nicht öffnen. Vielleicht wurde es verändert oder gehört an einen anderen Ort."
        case .tooLarge: "Das ist mehr, als hier hineinpasst."

        case .approvalOver: "Diese Anfrage ist nicht mehr offen."
        case .readLetterByLetter: "Ein Name ist hier ungewöhnlich geschrieben. Bitte Buchstabe für Buchstabe lesen."
        case .approved: "Freigegeben."
        case .declined: "Nicht freigegeben."

        case .devices: "Ihre Geräte"
        case .thisDevice: "Dieses Gerät"
        case .onlySignsIn: "Nur zum Anmelden"
        case .removeDevice: "Dieses Gerät entfernen?"
        case .removeDeviceText: "Es wird sofort abgemeldet und kann sich nicht mehr anmelden."

        case .readyWhenYouAre: "Es kann weitergehen, wenn Sie so weit sind."
        case .waitFor: "Bitte \(number) warten, dann noch einmal."
        case .noConnection: "Gerade gibt es keine Verbindung. Bitte später noch einmal."
        case .notAccepted: "Das ging nicht durch. Bitte wieder anmelden."
        case .checkSettings: "Bitte die Einstellungen dieses Geräts ansehen."
        case .contactSupport: "Das geht gerade nicht. Der Support hilft gern."

        case .offerTitle: "Schneller entsperren?"
        case .offerText: "\(sensor.name) statt Tippen. Was der Sensor sieht, bleibt auf diesem Gerät."
        case .offerLater: "Das geht später auch in den Einstellungen."
        }
    }
}
