extension MessageKey {
    /// Arabic, with verbal nouns instead of imperatives, which would address a man or a woman. A mark (U+200F) keeps a
    /// full stop after Latin letters on the left.
    func arabic(_ number: String, _ sensor: SensorWords) -> String {
        switch self {
        case .cancel: "إلغاء"
        case .useBiometrics: sensor.button
        case .usePasscode: "رمز دخول الجهاز"
        case .usePIN: "استخدام رمز PIN"
        case .signIn: "تسجيل الدخول"
        case .tryAgain: "المحاولة مجددًا"
        case .openSettings: "فتح الإعدادات"
        case .setUp: "إعداد"
        case .notNow: "ليس الآن"
        case .never: "عدم السؤال مجددًا"
        case .approve: "موافقة"
        case .decline: "عدم الموافقة"
        case .remove: "إزالة"
        case .deleteDigit: "حذف رقم"
        case .confirm: "متابعة"
        case .done: "تم"

        case .biometricsName: sensor.name
        case .passcodeName: "رمز دخول الجهاز"
        case .pinName: "رمز PIN"
        case .fullCredentialsName: "الحساب"

        case .hintBiometrics: "هل من صعوبة؟ يمكن استخدام \(sensor.object)."
        case .hintPasscode: "هل من صعوبة؟ يمكن استخدام رمز دخول الجهاز."
        case .hintPIN: "هل من صعوبة؟ يمكن استخدام رمز PIN\u{200F}."
        case .hintSignIn: "هل من صعوبة؟ يمكن تسجيل الدخول بالحساب."

        case .nowBiometrics: "لنجرّب \(sensor.object)."
        case .nowPasscode: "لنجرّب رمز دخول الجهاز."
        case .nowPIN: "لنجرّب رمز PIN\u{200F}."
        case .nowSignIn: "لنتابع بتسجيل الدخول بالحساب."

        case .onceMore: "لنجرّب مرة أخرى."
        case .holdLonger: "مدة أطول قليلًا من فضلك."
        case .moveToCentre: "أقرب قليلًا إلى الوسط من فضلك."
        case .liftAndTouchAgain: "يُرجى رفع الإصبع ثم اللمس مجددًا."
        case .readAgain: "مرة أخرى من فضلك. \(sensor.advice)"
        case .sensorUnavailable: "المستشعر غير متاح الآن. هناك طريقة أخرى."
        case .noSensor: "لا يوجد في هذا الجهاز مستشعر للوجه أو الإصبع. هناك طريقة أخرى."
        case .sensorForbidden: "إدارة هذا الجهاز لا تسمح بالمستشعر. هناك طريقة أخرى."
        case .sensorTooWeak: "لا يمكن استخدام مستشعر هذا الجهاز هنا. هناك طريقة أخرى."
        case .confirmAfterUpdate: "تم تحديث النظام. يُرجى التأكيد مرة واحدة بطريقة أخرى."
        case .lidClosed: "لاستخدام المستشعر، يُرجى فتح غطاء الجهاز."
        case .sensorSwitchedOff: "المستشعر غير مفعّل. يمكن تفعيله في الإعدادات."
        case .sensorLater: "المستشعر غير متاح الآن. يُرجى المحاولة لاحقًا."
        case .permissionNeeded: "لاستخدام \(sensor.object) هنا، يُرجى السماح بذلك في الإعدادات."
        case .biometricsNotSetUp: "يمكن إعداد \(sensor.object) في الإعدادات."
        case .passcodeNotSet: "يُرجى أولًا تعيين رمز دخول للجهاز في الإعدادات."
        case .sensorRestsUsePasscode: "المستشعر متوقف مؤقتًا. رمز دخول الجهاز يعيد تشغيله."
        case .sensorRestsUsePIN: "المستشعر متوقف مؤقتًا. يمكن استخدام رمز PIN الآن، ورمز دخول الجهاز يعيد تشغيل المستشعر."
        case .sensorRestsSignIn: "المستشعر متوقف مؤقتًا. يُرجى تسجيل الدخول بالحساب، ورمز دخول الجهاز يعيد تشغيل المستشعر."
        case .sensorRestsUntilPIN: "المستشعر متوقف مؤقتًا. رمز PIN يعيد تشغيله."
        case .sensorRestsUntilSignIn: "المستشعر متوقف مؤقتًا. تسجيل الدخول بالحساب يعيد تشغيله."
        case .sensorRestsFor: "المستشعر متوقف مؤقتًا. يعود بعد \(number)."

        case .enterPIN: "يُرجى إدخال رمز PIN\u{200F}."
        case .choosePIN: "يُرجى اختيار رمز PIN\u{200F}. عدد الأرقام: 6 أو أكثر."
        case .pinTriesLeft: "رمز PIN هذا غير مطابق. \(number)."
        case .pinPausedFor: "رمز PIN متوقف مؤقتًا. يمكن المتابعة بعد \(number)."
        case .pinEasilyGuessed: "رمز PIN هذا سهل التخمين. يُرجى اختيار رمز آخر."
        case .pinUsedUp: "رمز PIN متوقف للحماية. يُرجى تسجيل الدخول مرة واحدة لاختيار رمز جديد."
        case .digitsEntered: number

        case .setUpAgain: "تغيّر شيء على هذا الجهاز. يُرجى إعداده مرة أخرى."
        case .setUpThisDevice: "يُرجى تسجيل الدخول مرة واحدة لإعداد هذا الجهاز."
        case .alreadySetUp: "هذا الجهاز مُعَدّ من قبل."
        case .unlockDeviceFirst: "يُرجى فتح قفل الجهاز أولًا ثم العودة."
        case .coolingOffFor: "يمكنك فعل ذلك هنا بعد \(number). ويمكن ذلك الآن على جهاز أعددته من قبل."
        case .signedOut: "انتهت الجلسة. يُرجى تسجيل الدخول مجددًا."
        case .signInToGoOn: "للمتابعة، يُرجى تسجيل الدخول بالحساب."

        case .vaultClosed: "الخزنة مغلقة. للمتابعة، يُرجى فتحها مجددًا."
        case .cannotBeOpenedHere: "لا يمكن فتح هذا هنا. ربما تغيّر أو يعود إلى مكان آخر."
        case .tooLarge: "هذا أكبر مما تتسع له الخزنة."

        case .approvalOver: "لم يعد هذا الطلب مفتوحًا."
        case .readLetterByLetter: "كُتب اسم هنا بطريقة غير معتادة. يُرجى قراءته حرفًا حرفًا."
        case .approved: "تمت الموافقة."
        case .declined: "لم تتم الموافقة."

        case .devices: "الأجهزة"
        case .thisDevice: "هذا الجهاز"
        case .onlySignsIn: "لتسجيل الدخول فقط"
        case .removeDevice: "هل تُراد إزالة هذا الجهاز؟"
        case .removeDeviceText: "سيُسجَّل خروجه فورًا، ولن يمكن تسجيل الدخول به بعد ذلك."

        case .readyWhenYouAre: "يمكن المتابعة في أي وقت."
        case .waitFor: "يمكن المحاولة مجددًا بعد \(number)."
        case .noConnection: "لا يوجد اتصال الآن. يُرجى المحاولة لاحقًا."
        case .notAccepted: "لم يكتمل ذلك. يُرجى تسجيل الدخول مجددًا."
        case .checkSettings: "يُرجى مراجعة إعدادات هذا الجهاز."
        case .contactSupport: "هذا غير ممكن الآن. يمكن لفريق الدعم المساعدة."

        case .offerTitle: "فتح القفل بسرعة أكبر؟"
        case .offerText: "\(sensor.object) بدلًا من الكتابة. ما يراه المستشعر يبقى على هذا الجهاز."
        case .offerLater: "يمكن تشغيل ذلك لاحقًا من الإعدادات."
        }
    }
}
