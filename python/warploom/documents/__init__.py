"""What requests answer, a module each.

Written by tools/make_answer_types from answers; do not edit.
"""
