import 'dart:convert';

import 'package:flutter/services.dart';

/// Why a call did not succeed: a code to compare, a text to show, and the next step.
class ThumbturnFailure implements Exception {
  ThumbturnFailure(this.code, this.text, Map<String, dynamic> details)
      : step = details['step'] as String?,
        button = details['button'] as String?,
        status = details['status'] as String?;

  final String code;
  final String text;
  final String? step;
  final String? button;
  final String? status;
}

/// Signs a person in with the keys of this phone.
class Thumbturn {
  static const _channel = MethodChannel('thumbturn');

  static Future<Map<String, dynamic>> readiness() => _call('readiness', {});

  static Future<Map<String, dynamic>> enrol(String account, String password, {required String reason}) =>
      _call('enrol', {'account': account, 'password': password, 'reason': reason});

  static Future<Map<String, dynamic>> authenticate(String reason) => _call('authenticate', {'reason': reason});

  /// Fetches an approval; show all its lines.
  static Future<Map<String, dynamic>> approval(String id) => _call('approval', {'id': id});

  /// Approves what [approval] has fetched.
  static Future<Map<String, dynamic>> approve(String id) => _call('approve', {'id': id});

  static Future<void> revoke() => _call('revoke', {});

  static Future<Map<String, dynamic>> _call(String name, Map<String, String> arguments) async {
    try {
      final answer = await _channel.invokeMethod<String>(name, jsonEncode(arguments));
      return jsonDecode(answer ?? '{}') as Map<String, dynamic>;
    } on PlatformException catch (error) {
      final details = jsonDecode(error.details as String? ?? '{}') as Map<String, dynamic>;
      throw ThumbturnFailure(error.code, error.message ?? '', details);
    }
  }
}
