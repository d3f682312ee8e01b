extension MessageKey {
    /// Spanish, in the formal address.
    func spanish(_ number: String, _ sensor: SensorWords) -> String {
        switch self {
        case .cancel: "Cancelar"
        case .useBiometrics: sensor.button
        case .usePasscode: "Código del dispositivo"
        case .usePIN: "Usar PIN"
        case .signIn: "Iniciar sesión"
        case .tryAgain: "Intentar de nuevo"
        case .openSettings: "Abrir ajustes"
        case .setUp: "Configurar"
        case .notNow: "Ahora no"
        case .never: "No volver a preguntar"
        case .approve: "Aprobar"
        case .decline: "No aprobar"
        case .remove: "Quitar"
        case .deleteDigit: "Borrar un dígito"
        case .confirm: "Continuar"
        case .done: "Listo"

        case .biometricsName: sensor.name
        case .passcodeName: "Código del dispositivo"
        case .pinName: "PIN"
        case .fullCredentialsName: "Su cuenta"

        case .hintBiometrics: "¿Necesita ayuda? Use \(sensor.object)."
        case .hintPasscode: "¿Necesita ayuda? Use el código del dispositivo."
        case .hintPIN: "¿Necesita ayuda? Use su PIN."
        case .hintSignIn: "¿Necesita ayuda? Inicie sesión con su cuenta."

        case .nowBiometrics: "Probemos con \(sensor.with)."
        case .nowPasscode: "Probemos con el código del dispositivo."
        case .nowPIN: "Probemos con su PIN."
        case .nowSignIn: "Sigamos con su cuenta."

        case .onceMore: "Probemos una vez más."
        case .holdLonger: "Un poco más de tiempo, por favor."
        case .moveToCentre: "Un poco más al centro, por favor."
        case .liftAndTouchAgain: "Levante el dedo y vuelva a tocar."
        case .readAgain: "Una vez más. \(sensor.advice)"
        case .sensorUnavailable: "El sensor no está disponible ahora. Hay otra manera."
        case .noSensor: "Este dispositivo no tiene sensor de rostro o huella. Hay otra manera."
        case .sensorForbidden: "La administración de este dispositivo no permite el sensor. Hay otra manera."
        case .sensorTooWeak: "El sensor de este dispositivo no se puede usar aquí. Hay otra manera."
        case .confirmAfterUpdate: "El sistema se ha actualizado. Confirme una vez de otra manera."
        case .lidClosed: "Abra la tapa para usar el sensor."
        case .sensorSwitchedOff: "El sensor está desactivado. Puede activarlo en los ajustes."
        case .sensorLater: "El sensor no está disponible ahora. Inténtelo más tarde."
        case .permissionNeeded: "Para usar \(sensor.object) aquí, permítalo en los ajustes."
        case .biometricsNotSetUp: "Puede configurar \(sensor.object) en los ajustes."
        case .passcodeNotSet: "Primero establezca un código del dispositivo en los ajustes."
        case .sensorRestsUsePasscode: "El sensor está en pausa. El código del dispositivo lo activa de nuevo."
        case .sensorRestsUsePIN: "El sensor está en pausa. Use su PIN; el código del dispositivo activa de nuevo el sensor."
        case .sensorRestsSignIn: "El sensor está en pausa. Inicie sesión; el código del dispositivo activa de nuevo el sensor."
        case .sensorRestsUntilPIN: "El sensor está en pausa. Su PIN lo activa de nuevo."
        case .sensorRestsUntilSignIn: "El sensor está en pausa. Al iniciar sesión con su cuenta se activa de nuevo."
        case .sensorRestsFor: "El sensor está en pausa. Vuelve en \(number)."

        case .enterPIN: "Introduzca su PIN."
        case .choosePIN: "Elija un PIN de 6 cifras o más."
        case .pinTriesLeft: "Este PIN no coincide. \(number)."
        case .pinPausedFor: "El PIN está en pausa. Podrá seguir en \(number)."
        case .pinEasilyGuessed: "Este PIN es fácil de adivinar. Elija otro."
        case .pinUsedUp: "El PIN está desactivado para su protección. Inicie sesión para elegir uno nuevo."
        case .digitsEntered: number

        case .setUpAgain: "Algo ha cambiado en este dispositivo. Configúrelo una vez más."
        case .setUpThisDevice: "Inicie sesión una vez para configurar este dispositivo."
        case .alreadySetUp: "Este dispositivo ya está configurado."
        case .unlockDeviceFirst: "Primero desbloquee su dispositivo y luego vuelva."
        case .coolingOffFor: "Aquí podrá hacerlo dentro de \(number). Un dispositivo que configuró antes puede hacerlo ahora."
        case .signedOut: "La sesión ha terminado. Inicie sesión de nuevo."
        case .signInToGoOn: "Inicie sesión con su cuenta para seguir."

        case .vaultClosed: "La caja fuerte está cerrada. Ábrala de nuevo para seguir."
        case .cannotBeOpenedHere: "Esto no se puede abrir aquí. Quizá ha cambiado o viene de otro lugar."
        case .tooLarge: "Esto es más de lo que cabe aquí."

        case .approvalOver: "Esta solicitud ya no está abierta."
        case .readLetterByLetter: "Un nombre está escrito aquí de forma inusual. Conviene leerlo letra por letra."
        case .approved: "Aprobado."
        case .declined: "No aprobado."

        case .devices: "Sus dispositivos"
        case .thisDevice: "Este dispositivo"
        case .onlySignsIn: "Solo inicia sesión"
        case .removeDevice: "¿Quitar este dispositivo?"
        case .removeDeviceText: "Se cierra su sesión al momento y ya no puede iniciar otra."

        case .readyWhenYouAre: "Cuando quiera."
        case .waitFor: "Espere \(number) e inténtelo de nuevo."
        case .noConnection: "Ahora no hay conexión. Inténtelo más tarde."
        case .notAccepted: "No se ha podido completar. Inicie sesión de nuevo."
        case .checkSettings: "Revise los ajustes de este dispositivo."
        case .contactSupport: "Ahora no es posible. El servicio de ayuda puede atenderle."

        case .offerTitle: "¿Desbloquear más rápido?"
        case .offerText: "\(sensor.first) en lugar de escribir. Lo que ve el sensor se queda en este dispositivo."
        case .offerLater: "Podrá activarlo más tarde en los ajustes."
        }
    }
}
