extension MessageKey {
    /// French, in the formal address.
    func french(_ number: String, _ sensor: SensorWords) -> String {
        switch self {
        case .cancel: "Annuler"
        case .useBiometrics: sensor.button
        case .usePasscode: "Code de l’appareil"
        case .usePIN: "Utiliser le code PIN"
        case .signIn: "Se connecter"
        case .tryAgain: "Réessayer"
        case .openSettings: "Ouvrir les réglages"
        case .setUp: "Configurer"
        case .notNow: "Pas maintenant"
        case .never: "Ne plus demander"
        case .approve: "Approuver"
        case .decline: "Ne pas approuver"
        case .remove: "Retirer"
        case .deleteDigit: "Effacer un chiffre"
        case .confirm: "Continuer"
        case .done: "Terminé"

        case .biometricsName: sensor.name
        case .passcodeName: "Code de l’appareil"
        case .pinName: "Code PIN"
        case .fullCredentialsName: "Votre compte"

        case .hintBiometrics: "Un souci\u{A0}? Utilisez plutôt \(sensor.object)."
        case .hintPasscode: "Un souci\u{A0}? Utilisez plutôt le code de l’appareil."
        case .hintPIN: "Un souci\u{A0}? Utilisez plutôt votre code PIN."
        case .hintSignIn: "Un souci\u{A0}? Connectez-vous plutôt avec votre compte."

        case .nowBiometrics: "Essayons avec \(sensor.with)."
        case .nowPasscode: "Essayons avec le code de l’appareil."
        case .nowPIN: "Essayons avec votre code PIN."
        case .nowSignIn: "Continuons avec votre compte."

        case .onceMore: "Essayons encore une fois."
        case .holdLonger: "Un peu plus longtemps, s’il vous plaît."
        case .moveToCentre: "Un peu plus au centre, s’il vous plaît."
        case .liftAndTouchAgain: "Levez le doigt, puis posez-le à nouveau."
        case .readAgain: "Encore une fois. \(sensor.advice)"
        case .sensorUnavailable: "Le capteur n’est pas disponible pour le moment. Il y a un autre moyen."
        case .noSensor: "Cet appareil n’a pas de capteur de visage ou d’empreinte. Il y a un autre moyen."
        case .sensorForbidden: "L’administration de cet appareil n’autorise pas le capteur. Il y a un autre moyen."
        case .sensorTooWeak: "Le capteur de cet appareil ne convient pas ici. Il y a un autre moyen."
        case .confirmAfterUpdate: "Le système a été mis à jour. Confirmez une fois d’une autre manière."
        case .lidClosed: "Ouvrez l’écran de l’ordinateur pour utiliser le capteur."
        case .sensorSwitchedOff: "Le capteur est désactivé. Vous pouvez l’activer dans les réglages."
        case .sensorLater: "Le capteur n’est pas disponible pour le moment. Réessayez plus tard."
        case .permissionNeeded: "Pour utiliser \(sensor.object) ici, donnez votre accord dans les réglages."
        case .biometricsNotSetUp: "Vous pouvez configurer \(sensor.object) dans les réglages."
        case .passcodeNotSet: "Définissez d’abord un code de l’appareil dans les réglages."
        case .sensorRestsUsePasscode: "Le capteur est en pause. Le code de l’appareil le réactive."
        case .sensorRestsUsePIN:
            "Le capteur est en pause. Utilisez votre code PIN\u{A0}; le code de l’appareil réactive le capteur."
        case .sensorRestsSignIn: "Le capteur est en pause. Connectez-vous\u{A0}; le code de l’appareil réactive le capteur."
        case .sensorRestsUntilPIN: "Le capteur est en pause. Votre code PIN le réactive."
        case .sensorRestsUntilSignIn: "Le capteur est en pause. La connexion à votre compte le réactive."
        case .sensorRestsFor: "Le capteur est en pause. Il revient dans \(number)."

        case .enterPIN: "Saisissez votre code PIN."
        case .choosePIN: "Choisissez un code PIN d’au moins 6 chiffres."
        case .pinTriesLeft: "Ce code PIN ne correspond pas. \(number)."
        case .pinPausedFor: "Le code PIN est en pause. Vous pourrez continuer dans \(number)."
        case .pinEasilyGuessed: "Ce code PIN est facile à deviner. Choisissez-en un autre."
        case .pinUsedUp: "Le code PIN est désactivé pour votre protection. Connectez-vous pour en choisir un nouveau."
        case .digitsEntered: number

        case .setUpAgain: "Quelque chose a changé sur cet appareil. Configurez-le encore une fois."
        case .setUpThisDevice: "Connectez-vous une fois pour configurer cet appareil."
        case .alreadySetUp: "Cet appareil est déjà configuré."
        case .unlockDeviceFirst: "Déverrouillez d’abord votre appareil, puis revenez."
        case .coolingOffFor:
            "Ici, ce sera possible dans \(number). Un appareil que vous avez configuré avant peut le faire maintenant."
        case .signedOut: "La session est terminée. Connectez-vous à nouveau."
        case .signInToGoOn: "Connectez-vous avec votre compte pour continuer."

        case .vaultClosed: "Le coffre est fermé. Ouvrez-le à nouveau pour continuer."
        case .cannotBeOpenedHere: "Cela ne s’ouvre pas ici. Le contenu a peut-être changé, ou vient d’ailleurs."
        case .tooLarge: "C’est plus que ce qui tient ici."

        case .approvalOver: "Cette demande n’est plus ouverte."
        case .readLetterByLetter: "Un nom est écrit ici de façon inhabituelle. Merci de le lire lettre par lettre."
        case .approved: "Approuvé."
        case .declined: "Non approuvé."

        case .devices: "Vos appareils"
        case .thisDevice: "Cet appareil"
        case .onlySignsIn: "Connexion seulement"
        case .removeDevice: "Retirer cet appareil\u{A0}?"
        case .removeDeviceText: "Il est aussitôt déconnecté et ne peut plus se connecter."

        case .readyWhenYouAre: "Quand vous voulez."
        case .waitFor: "Patientez \(number), puis réessayez."
        case .noConnection: "Pas de connexion pour le moment. Réessayez plus tard."
        case .notAccepted: "Cela n’a pas abouti. Connectez-vous à nouveau."
        case .checkSettings: "Consultez les réglages de cet appareil."
        case .contactSupport: "Ce n’est pas possible pour le moment. L’assistance peut vous aider."

        case .offerTitle: "Déverrouiller plus vite\u{A0}?"
        case .offerText: "\(sensor.first) au lieu de la saisie. Ce que voit le capteur reste sur cet appareil."
        case .offerLater: "Vous pourrez l’activer plus tard dans les réglages."
        }
    }
}
