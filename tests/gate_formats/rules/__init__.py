"""One module per format that a gate writes. Each has

    check(data, case)   bytes of one output, and what went in (cases.json); a list of what breaks the format's rules
    ACCEPTED            a small output for check.py's A_CASE that breaks none
    REFUSED             changes of it that break a rule, as (old, new): the checker has to notice, or it checks nothing
"""
